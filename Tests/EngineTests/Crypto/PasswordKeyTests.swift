import NyaruEngine
import TestSupport
import Testing

@Suite struct PasswordKeyTests {
  /// RFC 7914, §12, the third vector.
  @Test func `scrypt is the published function`() throws {
    let key = try PasswordKey.stretch(
      Array("pleaseletmein".utf8), salt: Array("SodiumChloride".utf8),
      hashing: .scrypt(costExponent: 14, blockSize: 8, parallelism: 1), count: 64)
    #expect(
      Hex.text(key) == """
        7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
        d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
        """)
  }

  /// RFC 7914, §11.
  @Test func `PBKDF2 is the published function`() throws {
    let key = try PasswordKey.stretch(
      Array("Password".utf8), salt: Array("NaCl".utf8), hashing: .pbkdf2(rounds: 80_000),
      count: 64)
    #expect(
      Hex.text(key) == """
        4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56\
        a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d
        """)
  }

  @Test(arguments: [
    PasswordHashing.scrypt(costExponent: 16, blockSize: 8, parallelism: 1),
    .scrypt(costExponent: 21, blockSize: 8, parallelism: 1),
    .scrypt(costExponent: 255, blockSize: 8, parallelism: 1),
    .scrypt(costExponent: 17, blockSize: 7, parallelism: 1),
    .scrypt(costExponent: 17, blockSize: 17, parallelism: 1),
    .scrypt(costExponent: 17, blockSize: 8, parallelism: 0),
    .scrypt(costExponent: 17, blockSize: 8, parallelism: 5),
    .pbkdf2(rounds: 599_999), .pbkdf2(rounds: 10_000_001), .pbkdf2(rounds: 0),
  ])
  func `parameters below the floor and above the ceiling throw`(hashing: PasswordHashing) {
    #expect(throws: CryptoError.self) {
      try PasswordKey.derive("secret", salt: RandomBytes.next(16), hashing: hashing)
    }
  }

  @Test(arguments: [0, 15, 65])
  func `a salt of another size throws`(count: Int) {
    #expect(throws: CryptoError.invalidParameter("salt of \(count) bytes, allowed 16 to 64")) {
      try PasswordKey.derive(
        "secret", salt: [UInt8](repeating: 1, count: count), hashing: .standard)
    }
  }

  @Test func `the same password and salt make the same key, another salt another one`() throws {
    let salt = NyaruCrypto.generateSalt()
    let key = try NyaruCrypto.deriveKey(fromPassword: "passphrase", salt: salt).exportBytes()
    #expect(try NyaruCrypto.deriveKey(fromPassword: "passphrase", salt: salt).exportBytes() == key)
    let other = try NyaruCrypto.deriveKey(
      fromPassword: "passphrase", salt: NyaruCrypto.generateSalt())
    #expect(other.exportBytes() != key)
  }

  @Test func `a salt of another size is named to the app`() {
    let reason = "no key can be derived: salt of 3 bytes, allowed 16 to 64"
    #expect(throws: NyaruError.wrongKey(reason: reason)) {
      try NyaruCrypto.deriveKey(fromPassword: "passphrase", salt: [1, 2, 3])
    }
  }
}
