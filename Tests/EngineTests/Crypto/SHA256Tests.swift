import NyaruEngine
import TestSupport
import Testing

@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func `the published vectors hold`(text: String, hash: String) {
    #expect(Hex.text(SHA256.hash(Array(text.utf8))) == hash)
  }

  @Test func `pieces make the same hash as the whole, again and again`() {
    let bytes = RandomBytes.next(1_000)
    let hash = SHA256()
    for _ in 0..<3 {
      for start in stride(from: 0, to: 1_000, by: 100) {
        hash.update(Array(bytes[start..<start + 100]))
      }
      #expect(hash.finish() == SHA256.hash(bytes))
    }
  }
}
