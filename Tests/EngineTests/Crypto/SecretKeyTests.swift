import NyaruEngine
import Testing

@Suite struct SecretKeyTests {
  @Test(arguments: [0, 31, 33]) func `a key of another size is none`(count: Int) {
    #expect(SecretKey(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test func `a key that was exported comes back`() throws {
    let key = NyaruCrypto.generateRandomKey()
    let bytes = key.exportBytes()
    #expect(try #require(SecretKey(bytes: bytes)).exportBytes() == bytes)
    #expect(NyaruCrypto.generateRandomKey().exportBytes() != bytes)
  }

  @Test func `a key does not print its bytes`() {
    let bytes = [UInt8](repeating: 0xAB, count: 32)
    let key = SecretKey(bytes.span)
    for text in ["\(key)", String(reflecting: key), String(describing: key)] {
      #expect(!text.lowercased().contains("171") && !text.lowercased().contains("abab"))
    }
    var dumped = ""
    dump(key, to: &dumped)
    #expect(!dumped.contains("171"))
  }
}
