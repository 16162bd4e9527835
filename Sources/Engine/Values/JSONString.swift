/// Reads one JSON string from its opening quote to its closing one.
struct JSONString: ~Escapable {
  private let text: Span<UInt8>

  /// Bytes from the start to the next read.
  private(set) var offset: Int

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, at offset: Int) {
    self.text = text
    self.offset = offset
  }

  mutating func parse(into writer: inout MessagePackWriter) throws(JSONError) {
    let start = offset
    offset += 1
    let first = try readRun()
    if text[offset] == UInt8(ascii: "\"") {
      offset += 1
      writer.writeStringHeader(size: first.count)
      writer.append(text.extracting(first))
      return
    }
    var bytes = Self.bytes(text.extracting(first))
    while text[offset] != UInt8(ascii: "\"") {
      try readEscape(into: &bytes)
      let run = try readRun()
      bytes += Self.bytes(text.extracting(run))
      guard bytes.count <= DocumentLimits.batchSize else {
        throw JSONError(offset: start, reason: "a string beyond every limit")
      }
    }
    offset += 1
    writer.writeStringHeader(size: bytes.count)
    writer.append(bytes.span)
  }

  /// Reads what stands for itself, up to a quote or backslash.
  private mutating func readRun() throws(JSONError) -> Range<Int> {
    let start = offset
    var isASCII = true
    while offset < text.count {
      let byte = text[offset]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      if byte < 0x20 { throw error("a control character in a string") }
      if byte >= 0x80 { isASCII = false }
      offset += 1
    }
    guard offset < text.count else { throw error("a string that does not end") }
    if !isASCII {
      do { _ = try UTF8Span(validating: text.extracting(start..<offset)) } catch {
        throw JSONError(
          offset: start + error.byteOffsets.lowerBound, reason: "bytes that are not UTF-8")
      }
    }
    return start..<offset
  }

  private mutating func readEscape(into bytes: inout [UInt8]) throws(JSONError) {
    let start = offset
    guard offset + 1 < text.count else { throw error("a string that does not end") }
    let letter = text[offset + 1]
    offset += 2
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"): bytes += String(try readScalar(from: start)).utf8
    default: throw JSONError(offset: start, reason: "an escape that JSON does not have")
    }
  }

  private mutating func readScalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
    let unit = try readUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let unpaired = JSONError(offset: start, reason: "a surrogate without its other half")
    guard (0xD800..<0xDC00).contains(unit), offset + 1 < text.count,
      text[offset] == UInt8(ascii: "\\"), text[offset + 1] == UInt8(ascii: "u")
    else { throw unpaired }
    offset += 2
    let second = try readUnit()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
    else { throw unpaired }
    return scalar
  }

  private mutating func readUnit() throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard offset < text.count else { throw error("a string that does not end") }
      guard let digit = Self.digit(text[offset]) else {
        throw error("expected four hexadecimal digits")
      }
      unit = unit << 4 | digit
      offset += 1
    }
    return unit
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }

  private static func bytes(_ span: Span<UInt8>) -> [UInt8] {
    unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
  }

  private func error(_ reason: String) -> JSONError { JSONError(offset: offset, reason: reason) }
}
