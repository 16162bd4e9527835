/// A function of a Swift file, from its first line to its closing brace.
struct FunctionExtent: Equatable {
  var line: Int
  var length: Int
}

/// A type that a file declares at its top level.
struct TypeDeclaration: Equatable {
  var name: String
  var line: Int
  var isPrivate: Bool
  var isDocumented: Bool
}

extension CodeText {
  private static let functionStarts = ["func ", "init(", "init?(", "init<", "deinit", "subscript"]
  private static let typeStarts = ["struct", "class", "enum", "actor", "protocol"]
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "private", "fileprivate", "static", "final", "mutating",
    "nonmutating", "override", "convenience", "required", "indirect", "nonisolated", "isolated",
    "borrowing", "consuming", "open",
  ]

  /// Functions, initializers and subscripts that have a body.
  var functions: [FunctionExtent] {
    var extents: [FunctionExtent] = []
    var offset = 0
    for (index, line) in lines.enumerated() {
      defer { offset += line.utf8.count + 1 }
      let declaration = Self.withoutModifiers(line)
      guard Self.functionStarts.contains(where: declaration.hasPrefix) else { continue }
      guard let end = bodyEnd(from: offset) else { continue }
      let length = bytes[offset..<end].count { $0 == 0x0A } + 1
      extents.append(FunctionExtent(line: index + 1, length: length))
    }
    return extents
  }

  /// Types at the top level, with extensions left aside.
  func types(source: [String]) -> [TypeDeclaration] {
    lines.enumerated().compactMap { index, line in
      guard let first = line.first, first != " " else { return nil }
      let declaration = Self.withoutModifiers(line)
      let words = declaration.split(whereSeparator: { " :<{".contains($0) })
      guard words.count > 1, Self.typeStarts.contains(String(words[0])) else { return nil }
      return TypeDeclaration(
        name: String(words[1]), line: index + 1,
        isPrivate: line.contains("private "),
        isDocumented: Self.isDocumented(line: index, of: source))
    }
  }

  private static func isDocumented(line: Int, of source: [String]) -> Bool {
    for above in source[..<line].reversed() {
      if above.hasPrefix("///") { return true }
      guard above.hasPrefix("@") else { return false }
    }
    return false
  }

  private static func withoutModifiers(_ line: String) -> Substring {
    var rest = line.drop { $0 == " " }
    while true {
      let word = rest.prefix { !" (".contains($0) }
      guard modifiers.contains(word) || word.hasPrefix("@") else { return rest }
      rest = rest.dropFirst(word.count)
      if rest.first == "(" { rest = rest.drop { $0 != ")" }.dropFirst() }
      rest = rest.drop { $0 == " " }
      if rest.isEmpty { return rest }
    }
  }

  /// The offset behind the closing brace, or nil for a requirement without a body.
  private func bodyEnd(from start: Int) -> Int? {
    var parentheses = 0
    var braces = 0
    var offset = start
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x28, 0x5B: parentheses += 1
      case 0x29, 0x5D: parentheses -= 1
      case 0x7B: braces += 1
      case 0x7D:
        braces -= 1
        if braces == 0 { return offset + 1 }
        if braces < 0 { return nil }
      case 0x0A where parentheses == 0 && braces == 0:
        guard continuesSignature(at: offset + 1) else { return nil }
      default: break
      }
      offset += 1
    }
    return nil
  }

  private func continuesSignature(at offset: Int) -> Bool {
    let rest = bytes[offset...].drop { $0 == 0x20 || $0 == 0x0A }
    return ["{", "->", "where ", "throws", "async"].contains { rest.starts(with: $0.utf8) }
  }
}
