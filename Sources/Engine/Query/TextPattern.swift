/// A test of text: a pattern with wildcards, matched byte for byte, letter case included.
struct TextPattern: Sendable, Equatable {
  private enum Token: Sendable, Equatable {
    case byte(UInt8)

    /// Any text, also none.
    case anyText

    /// One Unicode scalar.
    case anyCharacter

    /// One Unicode scalar that lies in one of the ranges, or in none of them.
    case oneOf([ClosedRange<UInt32>], isNegated: Bool)
  }

  private var tokens: [Token] = []

  /// A pattern of `%`, `_` and text.
  init(like pattern: String) {
    var scalars = pattern.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "%": tokens.append(.anyText)
      case "_": tokens.append(.anyCharacter)
      case "\\": append(scalars.popFirst() ?? "\\")
      default: append(scalar)
      }
    }
  }

  /// A pattern of `*`, `?`, sets in brackets and text.
  init(glob pattern: String) {
    var scalars = pattern.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "*": tokens.append(.anyText)
      case "?": tokens.append(.anyCharacter)
      case "\\": append(scalars.popFirst() ?? "\\")
      case "[":
        var rest = scalars
        if let set = Self.set(&rest) {
          tokens.append(set)
          scalars = rest
        } else {
          append(scalar)
        }
      default: append(scalar)
      }
    }
  }

  init(prefix: String) { tokens = prefix.utf8.map(Token.byte) + [.anyText] }
  init(suffix: String) { tokens = [.anyText] + suffix.utf8.map(Token.byte) }
  init(infix: String) { tokens = [.anyText] + infix.utf8.map(Token.byte) + [.anyText] }

  /// What every text that matches starts with.
  var prefix: [UInt8] {
    var prefix: [UInt8] = []
    for case .byte(let byte) in tokens.prefix(while: { if case .byte = $0 { true } else { false } })
    {
      prefix.append(byte)
    }
    return prefix
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    tokens += String(scalar).utf8.map(Token.byte)
  }

  /// The set behind an opening bracket, or `nil` if no bracket closes it.
  private static func set(_ rest: inout Substring.UnicodeScalarView) -> Token? {
    var ranges: [ClosedRange<UInt32>] = []
    let isNegated = rest.first == "!" || rest.first == "^"
    if isNegated { rest.removeFirst() }
    while let scalar = rest.popFirst() {
      if scalar == "]", !ranges.isEmpty { return .oneOf(ranges, isNegated: isNegated) }
      guard let lower = scalar == "\\" ? rest.popFirst() : scalar else { return nil }
      var upper = lower
      if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
        rest.removeFirst(2)
        upper = end
      }
      let bounds = (min(lower.value, upper.value), max(lower.value, upper.value))
      ranges.append(bounds.0...bounds.1)
    }
    return nil
  }

  /// Whether the text matches as a whole.
  ///
  /// - Complexity: O(*n* · *m*) in the sizes of text and pattern, since only the last wildcard
  ///   for any text is ever tried again.
  func matches(_ text: Span<UInt8>) -> Bool {
    var position = 0
    var index = 0
    var retry: (index: Int, position: Int)?
    while true {
      if index < tokens.count, tokens[index] == .anyText {
        if index == tokens.count - 1 { return true }
        retry = (index + 1, position)
        index += 1
      } else if index < tokens.count, let size = size(of: tokens[index], in: text, at: position) {
        index += 1
        position += size
      } else if index == tokens.count, position == text.count {
        return true
      } else if let last = retry, last.position < text.count {
        position = last.position + Self.scalar(in: text, at: last.position).size
        retry = (last.index, position)
        index = last.index
      } else {
        return false
      }
    }
  }

  /// The bytes that a token takes of the text, or `nil` if it does not match there.
  private func size(of token: Token, in text: Span<UInt8>, at position: Int) -> Int? {
    guard position < text.count else { return nil }
    switch token {
    case .byte(let byte): return text[position] == byte ? 1 : nil
    case .anyText: return 0
    case .anyCharacter: return Self.scalar(in: text, at: position).size
    case .oneOf(let ranges, let isNegated):
      let (value, size) = Self.scalar(in: text, at: position)
      return ranges.contains { $0.contains(value) } != isNegated ? size : nil
    }
  }

  /// The Unicode scalar at a position of UTF-8; bytes that are none count as one each.
  private static func scalar(
    in text: Span<UInt8>, at position: Int
  ) -> (value: UInt32, size: Int) {
    let first = text[position]
    let size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard size > 1, size <= text.count - position else { return (UInt32(first), 1) }
    var value = UInt32(first) & (0xFF >> UInt32(size + 1))
    for index in position + 1..<position + size { value = value << 6 | UInt32(text[index] & 0x3F) }
    return (value, size)
  }
}
