import NyaruEngine
import TestSupport
import Testing

@Suite struct MessagePackReaderTests {
  @Test(arguments: 0..<20)
  func `every value comes back with the same bits, and is skipped as a whole`(
    seed: UInt64
  ) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<100 {
      let value = random.value()
      let bytes = try messagePack(value)
      var reader = MessagePackReader(bytes.span)
      #expect(try reader.readValue().isIdentical(to: value))
      #expect(reader.remaining == 0)
      var skipping = MessagePackReader(bytes.span)
      try skipping.skipValue()
      #expect(skipping.remaining == 0)
    }
  }

  @Test(arguments: 0..<10)
  func `bytes that are cut off throw`(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<20 {
      let bytes = try messagePack(random.value())
      for count in 0..<bytes.count {
        let part = Array(bytes.prefix(count))
        #expect(throws: FormatError.truncated) {
          var reader = MessagePackReader(part.span)
          _ = try reader.readValue()
        }
        #expect(throws: FormatError.truncated) {
          var reader = MessagePackReader(part.span)
          try reader.skipValue()
        }
      }
    }
  }

  @Test(arguments: [
    [0xDD, 0xFF, 0xFF, 0xFF, 0xFF], [0xDF, 0xFF, 0xFF, 0xFF, 0xFF, 0xC0, 0xC0],
    [0xDB, 0xFF, 0xFF, 0xFF, 0xFF], [0xC6, 0x00, 0x00, 0x00, 0x02, 0x00], [0x82, 0xA0, 0xC0],
  ])
  func `a count beyond the bytes that remain throws at once`(bytes: [UInt8]) {
    #expect(throws: FormatError.truncated) {
      var reader = MessagePackReader(bytes.span)
      _ = try reader.readHeader()
    }
  }

  @Test(arguments: [[0xC1], [0xD4, 0x01, 0x00], [0xC7, 0x01, 0x01, 0x00]])
  func `extension types throw`(bytes: [UInt8]) {
    #expect(throws: FormatError.self) {
      var reader = MessagePackReader(bytes.span)
      try reader.skipValue()
    }
  }

  @Test(arguments: [
    ([0x81, 0x01, 0x02], "a key that is no string"),
    ([0x82, 0xA1, 0x61, 0x01, 0xA1, 0x61, 0x02], "a key twice"),
    ([0x82, 0xA1, 0x61, 0x01, 0xD9, 0x01, 0x61, 0x02], "a key twice, written in two ways"),
    ([0x81, 0xA1, 0xFF, 0x01], "a key that is not UTF-8"),
    ([0x81, 0xA1, 0x61, 0xA1, 0xFF], "a string that is not UTF-8"),
    ([0x90], "no map"), ([0x80, 0x00], "more bytes"), ([], "no bytes"),
  ])
  func `what is no document is refused`(bytes: [UInt8], what: String) {
    #expect(throws: FormatError.self, "\(what)") {
      try MessagePackReader.validateDocument(bytes.span)
    }
  }

  @Test func `a document may have as many levels as the limit says`() throws {
    let nested = [UInt8](repeating: 0x91, count: DocumentLimits.depth - 2) + [0x90]
    let head: [UInt8] = [0x81, 0xA1, 0x61]
    try MessagePackReader.validateDocument((head + nested).span)
    #expect(throws: FormatError.tooDeep) {
      try MessagePackReader.validateDocument((head + [0x91] + nested).span)
    }
  }
}
