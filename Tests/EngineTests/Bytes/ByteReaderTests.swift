import NyaruEngine
import Testing

@Suite struct ByteReaderTests {
  @Test func `a value that is cut off throws`() {
    let bytes: [UInt8] = [1, 2, 3]
    #expect(throws: FormatError.truncated) {
      var reader = ByteReader(bytes.span)
      _ = try reader.readUInt32()
    }
  }

  @Test(arguments: [0, 1, 127, 128, 300, UInt64.max])
  func `a varint comes back`(value: UInt64) throws {
    var writer = ByteWriter()
    writer.writeVarint(value)
    let bytes = writer.finish()
    var reader = ByteReader(bytes.span)
    #expect(try reader.readVarint() == value)
    #expect(reader.remaining == 0)
  }

  @Test(arguments: [[0x80, 0x00], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02]])
  func `a varint that is not minimal or too large throws`(bytes: [UInt8]) {
    #expect(throws: FormatError.self) {
      var reader = ByteReader(bytes.span)
      _ = try reader.readVarint()
    }
  }
}
