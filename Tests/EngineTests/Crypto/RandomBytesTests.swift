import NyaruEngine
import Testing

@Suite struct RandomBytesTests {
  @Test(arguments: [0, 1, 24, 256, 257, 100_000])
  func `as many bytes come as are asked for`(count: Int) {
    let bytes = RandomBytes.next(count)
    #expect(bytes.count == count)
    if count >= 24 { #expect(bytes != RandomBytes.next(count)) }
    if count >= 10_000 { #expect(Set(bytes).count == 256) }
  }

  @Test func `equality looks at every byte`() {
    let bytes = RandomBytes.next(33)
    func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool { equalBytes(left.span, right.span) }
    #expect(equal(bytes, bytes))
    #expect(!equal(bytes, Array(bytes.prefix(32))))
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 0x80
      #expect(!equal(bytes, other))
    }
  }
}
