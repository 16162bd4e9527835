/// The code of a Swift file: its bytes with comments and the contents of strings blanked out.
///
/// Lines and columns stay where they are, so that what is found in the code is found in the file.
struct CodeText {
  let bytes: [UInt8]
  let lines: [String]

  /// Identifiers and keywords, each once.
  let words: Set<String>

  /// For each line, whether a comment covers it and nothing else stands on it.
  let commentLines: [Bool]

  init(_ text: String) {
    var scanner = CommentScanner(source: Array(text.utf8))
    scanner.run()
    bytes = scanner.code
    let codeLines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    lines = codeLines.map { String(decoding: $0, as: UTF8.self) }
    words = Set(
      bytes.split { !Self.isWordByte($0) }.map { String(decoding: $0, as: UTF8.self) })
    let sourceLines = scanner.source.split(separator: 0x0A, omittingEmptySubsequences: false)
    commentLines = zip(sourceLines, codeLines).map { source, code in
      source.contains { $0 != 0x20 } && code.allSatisfy { $0 == 0x20 }
    }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
    default: byte >= 0x80
    }
  }
}

/// Blanks comments and string contents, front to back. Interpolations stay code.
private struct CommentScanner {
  let source: [UInt8]
  private(set) var code: [UInt8]
  private var offset = 0

  init(source: [UInt8]) {
    self.source = source
    code = source
  }

  mutating func run() {
    while offset < source.count {
      if starts("//") {
        blank { $0.source[$0.offset] == 0x0A }
      } else if starts("/*") {
        skipBlockComment()
      } else if source[offset] == 0x22 || source[offset] == 0x23 {
        skipString()
      } else {
        offset += 1
      }
    }
  }

  private func starts(_ prefix: String) -> Bool {
    source[offset...].starts(with: prefix.utf8)
  }

  private mutating func blankOne() {
    if source[offset] != 0x0A { code[offset] = 0x20 }
    offset += 1
  }

  private mutating func blank(until isEnd: (Self) -> Bool) {
    while offset < source.count, !isEnd(self) { blankOne() }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if starts("/*") { depth += 1 } else if starts("*/") { depth -= 1 }
      let width = starts("/*") || starts("*/") ? 2 : 1
      for _ in 0..<width where offset < source.count { blankOne() }
    } while depth > 0 && offset < source.count
  }

  /// A literal `#…"…"#…`, on one line or in three quotes.
  private mutating func skipString() {
    let hashes = source[offset...].prefix { $0 == 0x23 }.count
    guard source[(offset + hashes)...].first == 0x22 else {
      offset += max(hashes, 1)
      return
    }
    offset += hashes
    let quotes = starts("\"\"\"") ? 3 : 1
    offset += quotes
    let mark = String(repeating: "#", count: hashes)
    let end = String(repeating: "\"", count: quotes) + mark
    while offset < source.count, !starts(end) {
      if starts("\\" + mark + "(") {
        offset += 1 + hashes
        skipInterpolation()
      } else if starts("\\") && hashes == 0 {
        blankOne()
        if offset < source.count { blankOne() }
      } else {
        if quotes == 1, source[offset] == 0x0A { return }
        blankOne()
      }
    }
    offset += end.utf8.count
  }

  private mutating func skipInterpolation() {
    var depth = 0
    repeat {
      switch source[offset] {
      case 0x28:
        depth += 1
        offset += 1
      case 0x29:
        depth -= 1
        offset += 1
      case 0x22, 0x23: skipString()
      default: offset += 1
      }
    } while depth > 0 && offset < source.count
  }
}
