internal import COpenSSL

/// How a password becomes a key: slowly, so that guessing is slow, too.
///
/// The parameters are stored beside what the key protects. They are checked against a floor,
/// so that nobody can weaken them there, and against a ceiling, so that nobody can make opening
/// a file take for ever.
package enum PasswordHashing: Equatable, Sendable {
  /// scrypt (RFC 7914) with N = 2^`costExponent`; memory is 128 · N · `blockSize` bytes.
  case scrypt(costExponent: UInt8, blockSize: UInt8, parallelism: UInt8)

  /// PBKDF2-HMAC-SHA256 (RFC 8018).
  case pbkdf2(rounds: UInt32)

  package static let standard = scrypt(costExponent: 17, blockSize: 8, parallelism: 1)
  package static let saltSizes = 16...64
  package static let passwordSizeLimit = 64 << 10

  static let costExponents: ClosedRange<UInt8> = 17...20
  static let blockSizes: ClosedRange<UInt8> = 8...16
  static let parallelisms: ClosedRange<UInt8> = 1...4
  static let rounds: ClosedRange<UInt32> = 600_000...10_000_000

  /// Says which parameter is below its floor or above its ceiling.
  package func check() throws(CryptoError) {
    switch self {
    case .scrypt(let costExponent, let blockSize, let parallelism):
      guard Self.costExponents.contains(costExponent) else {
        throw .invalidParameter("scrypt cost 2^\(costExponent), allowed 2^17 to 2^20")
      }
      guard Self.blockSizes.contains(blockSize) else {
        throw .invalidParameter("scrypt block size \(blockSize), allowed 8 to 16")
      }
      guard Self.parallelisms.contains(parallelism) else {
        throw .invalidParameter("scrypt parallelism \(parallelism), allowed 1 to 4")
      }
    case .pbkdf2(let rounds):
      guard Self.rounds.contains(rounds) else {
        throw .invalidParameter("PBKDF2 rounds \(rounds), allowed 600000 to 10000000")
      }
    }
  }
}

/// Keys from passwords.
package enum PasswordKey {
  /// The key for a password, which takes a good part of a second on purpose.
  ///
  /// - Throws: ``CryptoError/invalidParameter(_:)``, ``CryptoError/unavailable(_:)`` when memory
  ///   is short.
  package static func derive(
    _ password: String, salt: [UInt8], hashing: PasswordHashing
  ) throws(CryptoError) -> SecretKey {
    try hashing.check()
    guard PasswordHashing.saltSizes.contains(salt.count) else {
      throw .invalidParameter("salt of \(salt.count) bytes, allowed 16 to 64")
    }
    var secret = Array(password.utf8)
    defer { secret.wipe() }
    guard secret.count <= PasswordHashing.passwordSizeLimit else {
      throw .invalidParameter("password of \(secret.count) bytes, allowed 65536")
    }
    var key = try stretch(secret, salt: salt, hashing: hashing, count: SecretKey.size)
    defer { key.wipe() }
    return SecretKey(key.span)
  }

  /// The functions themselves, without floors, as the published vectors need them.
  package static func stretch(
    _ secret: [UInt8], salt: [UInt8], hashing: PasswordHashing, count: Int
  ) throws(CryptoError) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: count)
    let isDone = unsafe secret.withUnsafeBytes { secret in
      let start = unsafe secret.bindMemory(to: CChar.self).baseAddress
      switch hashing {
      case .scrypt(let costExponent, let blockSize, let parallelism):
        guard costExponent < 64 else { return false }
        let cost: UInt64 = 1 << UInt64(costExponent)
        return unsafe EVP_PBE_scrypt(
          start, secret.count, salt, salt.count, cost, UInt64(blockSize), UInt64(parallelism),
          memoryLimit, &key, count) == 1
      case .pbkdf2(let rounds):
        return unsafe PKCS5_PBKDF2_HMAC(
          start, CInt(secret.count), salt, CInt(salt.count), CInt(clamping: rounds),
          Fetched.sha256.pointer, CInt(count), &key) == 1
      }
    }
    guard isDone else { throw .unavailable("password hashing") }
    return key
  }

  /// Above the ceilings' largest need, 128 · 2^20 · 16 bytes and a few blocks.
  private static let memoryLimit: UInt64 = 2_200 << 20
}
