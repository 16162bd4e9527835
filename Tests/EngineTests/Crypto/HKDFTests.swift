import NyaruEngine
import TestSupport
import Testing

@Suite struct HKDFTests {
  /// RFC 5869, cases 1 to 3.
  @Test func `the published vectors hold`() {
    let secret = [UInt8](repeating: 0x0B, count: 22)
    let first = HKDF.derive(
      secret.span, salt: Array(0...12), info: Array(0xF0...0xF9), count: 42)
    #expect(
      Hex.text(first)
        == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")

    let second = HKDF.derive(
      Array(0...0x4F).span, salt: Array(0x60...0xAF), info: Array(0xB0...0xFF), count: 82)
    #expect(
      Hex.text(second) == """
        b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c\
        59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71\
        cc30c58179ec3e87c14c01d5c1f3434f1d87
        """)

    let third = HKDF.derive(secret.span, salt: [], info: [], count: 42)
    #expect(
      Hex.text(third)
        == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
  }

  @Test func `labels make unrelated keys`() {
    let key = SecretKey.random()
    let keys = ["", "a", "b"].map { HKDF.derive(key, label: $0).exportBytes() }
    #expect(Set(keys + [key.exportBytes()]).count == 4)
    #expect(HKDF.derive(key, label: "a").exportBytes() == keys[1])
  }
}
