/// Reads JSON (RFC 8259) strictly, and writes what it reads as MessagePack.
///
/// A key that occurs twice in one object, bytes that are not UTF-8, an unpaired surrogate and a
/// number that neither 64 bits nor a double can hold are errors, each with its place.
struct JSONParser: ~Escapable {
  private let text: Span<UInt8>

  /// Bytes from the start to the next read.
  private(set) var offset: Int

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, at offset: Int = 0) {
    self.text = text
    self.offset = offset
  }

  /// Reads the whole text, which is one value.
  mutating func parseText(into writer: inout MessagePackWriter) throws(JSONError) {
    skipSpace()
    if peek == UInt8(ascii: "{") {
      try parseObject(into: &writer, depth: DocumentLimits.depth - 1, isDocument: true)
    } else {
      try parseValue(into: &writer)
    }
    skipSpace()
    guard offset == text.count else { throw error("text behind the value") }
  }

  mutating func parseValue(
    into writer: inout MessagePackWriter, depth: Int = DocumentLimits.depth
  ) throws(JSONError) {
    skipSpace()
    guard let byte = peek else { throw error("the text ends where a value should be") }
    switch byte {
    case UInt8(ascii: "{"):
      try checkDepth(depth)
      try parseObject(into: &writer, depth: depth - 1)
    case UInt8(ascii: "["):
      try checkDepth(depth)
      try parseArray(into: &writer, depth: depth - 1)
    case UInt8(ascii: "\""): try parseString(into: &writer)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      var number = JSONNumber(text, at: offset)
      try number.parse(into: &writer)
      offset = number.offset
    case UInt8(ascii: "t"):
      try parseWord("true")
      writer.write(true)
    case UInt8(ascii: "f"):
      try parseWord("false")
      writer.write(false)
    case UInt8(ascii: "n"):
      try parseWord("null")
      writer.writeNull()
    default: throw error("expected a value")
    }
  }

  private mutating func parseObject(
    into writer: inout MessagePackWriter, depth: Int, isDocument: Bool = false
  ) throws(JSONError) {
    offset += 1
    let start = writer.beginContainer()
    var keys = KeySet()
    skipSpace()
    if peek == UInt8(ascii: "}") {
      offset += 1
      writer.endMap(at: start, count: 0)
      return
    }
    while true {
      let keyOffset = offset
      let keyStart = writer.count
      guard peek == UInt8(ascii: "\"") else { throw error("expected a key in quotes") }
      try parseString(into: &writer)
      guard keys.insert(keyStart..<writer.count, of: writer.span) else {
        throw JSONError(offset: keyOffset, reason: "a key that occurs twice in one object")
      }
      skipSpace()
      guard peek == UInt8(ascii: ":") else { throw error("expected a colon") }
      offset += 1
      try parseValue(into: &writer, depth: depth)
      if try end(UInt8(ascii: "}")) { break }
    }
    writer.endMap(at: start, count: keys.count)
    if keys.count == 1, !isDocument { unescape(at: start, in: &writer) }
  }

  private mutating func parseArray(
    into writer: inout MessagePackWriter, depth: Int
  ) throws(JSONError) {
    offset += 1
    let start = writer.beginContainer()
    var count = 0
    skipSpace()
    if peek == UInt8(ascii: "]") {
      offset += 1
    } else {
      repeat {
        try parseValue(into: &writer, depth: depth)
        count += 1
      } while try !end(UInt8(ascii: "]"))
    }
    writer.endArray(at: start, count: count)
  }

  /// Whether the container ends here; otherwise a comma was read.
  private mutating func end(_ close: UInt8) throws(JSONError) -> Bool {
    skipSpace()
    guard let byte = peek, byte == close || byte == UInt8(ascii: ",") else {
      throw error("expected a comma or \(close == UInt8(ascii: "}") ? "a brace" : "a bracket")")
    }
    offset += 1
    skipSpace()
    return byte == close
  }

  /// Replaces a map of one entry by what it stands for.
  private func unescape(at start: Int, in writer: inout MessagePackWriter) {
    var reader = MessagePackReader(writer.span, at: start + 1)
    guard let keySize = try? reader.readKeyHeader(), let key = try? reader.readBytes(keySize),
      key.first == UInt8(ascii: "$"), case .string(let size)? = try? reader.readHeader(),
      let text = try? reader.readBytes(size),
      let meaning = JSONEscape.meaning(key: key, text: text)
    else { return }
    writer.truncate(to: start)
    switch meaning {
    case .binary(let bytes): writer.write(binary: bytes)
    case .double(let double): writer.write(double)
    case .map:
      writer.writeMapHeader(count: 1)
      writer.writeStringHeader(size: key.count - 1)
      writer.append(Array(key.dropFirst()).span)
      writer.writeStringHeader(size: size)
      writer.append(text.span)
    }
  }

  private mutating func parseString(into writer: inout MessagePackWriter) throws(JSONError) {
    var string = JSONString(text, at: offset)
    try string.parse(into: &writer)
    offset = string.offset
  }

  private mutating func parseWord(_ word: StaticString) throws(JSONError) {
    let end = offset + word.utf8CodeUnitCount
    let isThere =
      end <= text.count
      && word.withUTF8Buffer { word in
        for index in word.indices where unsafe word[index] != text[offset + index] { return false }
        return true
      }
    guard isThere else { throw error("expected a value") }
    offset = end
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  private var peek: UInt8? { offset < text.count ? text[offset] : nil }

  private func checkDepth(_ depth: Int) throws(JSONError) {
    if depth <= 0 { throw error("more than \(DocumentLimits.depth) levels") }
  }

  private func error(_ reason: String) -> JSONError { JSONError(offset: offset, reason: reason) }
}
