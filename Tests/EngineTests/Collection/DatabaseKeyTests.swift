import NyaruEngine
import TestSupport
import Testing

@Suite struct DatabaseKeyTests {
  private let temporary: TemporaryDirectory

  init() throws { temporary = try TemporaryDirectory() }

  @Test func `a generated key opens what it created, and nothing else does`() async throws {
    let path = temporary.path("db")
    let key = NyaruCrypto.generateRandomKey()
    try await NyaruDB(path: path, options: DatabaseOptions(encryptionKey: key)).close()
    try await NyaruDB(path: path, options: DatabaseOptions(encryptionKey: key)).close()
    for wrong in [nil, NyaruCrypto.generateRandomKey()] {
      #expect(throws: NyaruError.self) {
        try NyaruDB(path: path, options: DatabaseOptions(encryptionKey: wrong))
      }
    }
  }

  @Test func `a key comes from a password and a salt, or the database keeps the salt`() async throws
  {
    let salt = NyaruCrypto.generateSalt()
    let path = temporary.path("salted")
    for _ in 0..<2 {
      let key = try NyaruCrypto.deriveKey(fromPassword: "passphrase", salt: salt)
      try await NyaruDB(path: path, options: DatabaseOptions(encryptionKey: key)).close()
    }

    func open(_ password: String) throws -> NyaruDB {
      var options = DatabaseOptions()
      options.key = .password(password)
      return try NyaruDB(path: temporary.path("kept"), options: options)
    }
    for _ in 0..<2 { try await open("passphrase").close() }
    #expect(throws: NyaruError.self) { try open("Passphrase") }
  }
}
