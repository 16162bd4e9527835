/// Keys for encrypted databases.
public enum NyaruCrypto {
  /// A random key of 32 bytes, for apps that can keep one in a safe place.
  public static func generateRandomKey() -> SecretKey { SecretKey.random() }

  /// A random salt of 16 bytes, to be stored beside the database that a password protects.
  public static func generateSalt() -> [UInt8] { RandomBytes.next(16) }

  /// The key that belongs to a password and a salt (scrypt, N = 2^17, r = 8, p = 1).
  ///
  /// It takes a good part of a second and 128 MiB on purpose: guessing takes as long.
  ///
  /// - Throws: ``NyaruError/wrongKey(reason:)`` if the salt is not of 16 to 64 bytes, or memory is
  ///   short.
  public static func deriveKey(
    fromPassword password: String, salt: [UInt8]
  ) throws(NyaruError) -> SecretKey {
    do throws(CryptoError) {
      return try PasswordKey.derive(password, salt: salt, hashing: .standard)
    } catch {
      throw .wrongKey(reason: "no key can be derived: \(error)")
    }
  }
}
