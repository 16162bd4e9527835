/// What surrounds the body of a manifest.
///
///     manifest := magic u8[4], format u32, body size u32, checksum u32, body
///
/// The checksum is a CRC-32 over everything but itself. The frame is the same in every format, so
/// that a newer format is told from damage.
package enum ManifestFrame {
  package static let headerSize = 16

  /// Bytes of a whole manifest; larger files are not read.
  package static let sizeLimit = 16 << 20

  package static func encode(_ body: [UInt8], magic: String, format: UInt32) -> [UInt8] {
    var writer = ByteWriter(capacity: headerSize + body.count)
    writer.write(Array(magic.utf8))
    writer.write(format)
    writer.write(UInt32(clamping: body.count))
    writer.write(checksum(head: writer.bytes, body: body))
    writer.write(body)
    return writer.finish()
  }

  /// The body of a manifest in a format that this version reads.
  package static func decode(
    _ bytes: [UInt8], magic: String, format: UInt32
  ) throws(FormatError) -> [UInt8] {
    guard bytes.count <= sizeLimit else { throw .lengthOutOfRange(UInt64(bytes.count)) }
    var reader = ByteReader(bytes.span)
    guard try reader.readBytes(4) == Array(magic.utf8) else {
      throw .invalid("the file does not begin with \(magic)")
    }
    let found = try reader.readUInt32()
    let size = try reader.readUInt32()
    let expected = try reader.readUInt32()
    guard size <= reader.remaining else { throw .truncated }
    guard size == reader.remaining else { throw .invalid("bytes behind the manifest") }
    let body = try reader.readBytes(reader.remaining)
    guard checksum(head: Array(bytes.prefix(12)), body: body) == expected else {
      throw .checksumMismatch
    }
    guard found == format else { throw .unsupported("format \(found) of \(magic)") }
    return body
  }

  private static func checksum(head: [UInt8], body: [UInt8]) -> UInt32 {
    var checksum = Checksum()
    checksum.update(head.span)
    checksum.update(body.span)
    return checksum.value
  }
}

extension ByteReader {
  /// A length-prefixed string of valid UTF-8.
  mutating func readText(limit: Int) throws(FormatError) -> String {
    let bytes = try readBytes(try readLength(limit: limit))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalid("text that is not UTF-8")
    }
    return text
  }

  /// A byte that is 0 or 1.
  mutating func readBool() throws(FormatError) -> Bool {
    switch try readUInt8() {
    case 0: return false
    case 1: return true
    default: throw .invalid("a flag that is neither 0 nor 1")
    }
  }
}

extension ByteWriter {
  /// A length-prefixed string.
  mutating func writeText(_ text: String) { writeLengthPrefixed(Array(text.utf8)) }
}
