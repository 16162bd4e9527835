/// The text of one document, and where it stands in its input.
package struct SourceText: Equatable, Sendable {
  package var bytes: [UInt8]

  /// The line that the document begins in; the first is 1.
  package var line: Int

  /// Bytes of that line before the document.
  package var indentation: Int

  package init(bytes: [UInt8], line: Int, indentation: Int = 0) {
    self.bytes = bytes
    self.line = line
    self.indentation = indentation
  }
}

/// Cuts a stream of JSON documents into its documents, whatever the pieces it arrives in.
///
/// Documents stand one a line, or one after the other over any number of lines. The splitter only
/// counts braces outside of strings; what it cuts out may be wrong, and the parser then says so.
/// A text that is no object or array ends with its line, so that an error names that line, and an
/// end of line inside a string, which JSON does not allow, ends the document, too.
package struct DocumentSplitter: Sendable {
  /// Bytes of one document's text. The largest document fits, with room for white space.
  package static let textSizeLimit = 64 << 20

  /// A document whose text exceeds the limit, by the line that it begins in.
  package struct TextTooLarge: Error, Equatable {
    package var line: Int

    package init(line: Int) { self.line = line }
  }

  private enum State {
    case between
    case scalar
    case container
    case string
    case escape
  }

  private var pending: [UInt8] = []
  private var scanned = 0
  private var state = State.between
  private var depth = 0

  // Lines and columns of the next byte to scan, and of the document that has begun.
  private var line = 1
  private var column = 0
  private var start = (line: 1, column: 0)

  private let limit: Int

  package init(textSizeLimit: Int = DocumentSplitter.textSizeLimit) { limit = textSizeLimit }

  /// Takes the next bytes of the stream, and hands over the documents that end in them.
  package mutating func append(_ bytes: [UInt8]) throws(TextTooLarge) -> [SourceText] {
    pending += bytes
    var found: [SourceText] = []
    var begin = 0
    while scanned < pending.count {
      let byte = pending[scanned]
      if state == .between {
        if !Self.isSpace(byte) { open(byte, at: &begin) }
        advance(over: byte)
      } else if endsDocument(byte) {
        let isIncluded = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
        if isIncluded { advance(over: byte) }
        found.append(take(from: begin, to: scanned))
        state = .between
      } else {
        advance(over: byte)
      }
    }
    if state == .between { begin = scanned }
    pending.removeFirst(begin)
    scanned -= begin
    guard pending.count <= limit else { throw TextTooLarge(line: start.line) }
    return found
  }

  /// What the stream ended in the middle of, once all its bytes were appended.
  package func finish() -> SourceText? {
    guard state != .between else { return nil }
    return take(from: 0, to: pending.count)
  }

  private mutating func open(_ byte: UInt8, at begin: inout Int) {
    begin = scanned
    start = (line, column)
    let opens = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    state = opens ? .container : .scalar
    depth = opens ? 1 : 0
  }

  /// Moves the state over a byte, and says whether the document ends with or before it.
  private mutating func endsDocument(_ byte: UInt8) -> Bool {
    switch state {
    case .between: break
    case .scalar: return byte == UInt8(ascii: "\n")
    case .string:
      switch byte {
      case UInt8(ascii: "\""): state = .container
      case UInt8(ascii: "\\"): state = .escape
      default: return byte == UInt8(ascii: "\n")
      }
    case .escape:
      state = .string
      return byte == UInt8(ascii: "\n")
    case .container:
      switch byte {
      case UInt8(ascii: "\""): state = .string
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        return depth == 0
      default: break
      }
    }
    return false
  }

  private mutating func advance(over byte: UInt8) {
    scanned += 1
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 0
    } else {
      column += 1
    }
  }

  private func take(from begin: Int, to end: Int) -> SourceText {
    SourceText(bytes: Array(pending[begin..<end]), line: start.line, indentation: start.column)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
