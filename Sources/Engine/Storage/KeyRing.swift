/// What the user opens an encrypted database with.
package enum DatabaseCredential: Sendable {
  /// A key of 32 random bytes.
  case key(SecretKey)

  /// A password, and how a new database stretches it; an existing one stores its own way.
  case password(String, PasswordHashing = .standard)
}

/// The keys of one encrypted database, one for each use.
///
/// All come from one random data key, which the user's key or password wraps: a change of that
/// rewrites one small file and no record.
package struct KeyRing: Sendable {
  /// Why a key ring does not open.
  package enum Failure: Error, Equatable, Sendable {
    /// The key or password is not the one that wrapped the data key.
    case wrongKey

    /// The database wants a password where a key was given, or a key for a password.
    case wrongMethod(KeyProtection.Method)

    /// The password cannot be stretched; says why.
    case password(CryptoError)

    /// The wrapped key was changed, although the user's key is right.
    case damaged
  }

  package let protection: KeyProtection

  /// Seals the payloads of slots and the chunks of checkpoints, whose associated data tells them
  /// apart.
  package let records: SecretKey

  /// Seals collection manifests and what else describes data.
  package let manifests: SecretKey

  /// Hides collection names and partition values in file names.
  package let names: SecretKey

  /// Authenticates the database manifest.
  let authentication: SecretKey

  /// Seals the key of the vault.
  let vault: SecretKey

  private let dataKey: SecretKey

  /// Draws a new data key and wraps it.
  package init(wrappingNewKeyWith credential: DatabaseCredential) throws(Failure) {
    try self.init(dataKey: .random(), wrappedWith: credential)
  }

  /// Unwraps the data key of an existing database.
  package init(
    opening protection: KeyProtection, with credential: DatabaseCredential
  ) throws(Failure) {
    let key = try Self.userKey(credential, method: protection.method, salt: protection.salt)
    let check = Self.check(key, header: protection.header)
    guard equalBytes(check.span, protection.check.span) else { throw .wrongKey }
    do throws(CryptoError) {
      var bytes = try XAES256GCM.openBox(
        protection.wrapped, key: HKDF.derive(key, label: "nyaru wrap"),
        associatedData: protection.header)
      defer { bytes.wipe() }
      self.init(dataKey: SecretKey(bytes.span), protection: protection)
    } catch {
      throw .damaged
    }
  }

  /// The same data key under another key or password.
  package func rewrapped(with credential: DatabaseCredential) throws(Failure) -> KeyRing {
    try KeyRing(dataKey: dataKey, wrappedWith: credential)
  }

  private init(
    dataKey: SecretKey, wrappedWith credential: DatabaseCredential
  ) throws(Failure) {
    let method: KeyProtection.Method =
      switch credential {
      case .key: .key
      case .password(_, let hashing): .password(hashing)
      }
    let salt = RandomBytes.next(KeyProtection.saltSize)
    let key = try Self.userKey(credential, method: method, salt: salt)
    let header = KeyProtection.header(method, salt: salt)
    var bytes = dataKey.exportBytes()
    defer { bytes.wipe() }
    do throws(CryptoError) {
      let wrapped = try XAES256GCM.sealBox(
        bytes, key: HKDF.derive(key, label: "nyaru wrap"), associatedData: header)
      self.init(
        dataKey: dataKey,
        protection: KeyProtection(
          method: method, salt: salt, check: Self.check(key, header: header), wrapped: wrapped))
    } catch {
      throw .password(error)
    }
  }

  private init(dataKey: SecretKey, protection: KeyProtection) {
    self.dataKey = dataKey
    self.protection = protection
    records = HKDF.derive(dataKey, label: "nyaru records")
    manifests = HKDF.derive(dataKey, label: "nyaru manifests")
    names = HKDF.derive(dataKey, label: "nyaru names")
    authentication = HKDF.derive(dataKey, label: "nyaru authentication")
    vault = HKDF.derive(dataKey, label: "nyaru vault")
  }

  private static func userKey(
    _ credential: DatabaseCredential, method: KeyProtection.Method, salt: [UInt8]
  ) throws(Failure) -> SecretKey {
    switch (credential, method) {
    case (.key(let key), .key): return key
    case (.password(let password, _), .password(let hashing)):
      do throws(CryptoError) {
        return try PasswordKey.derive(password, salt: salt, hashing: hashing)
      } catch {
        throw .password(error)
      }
    default: throw .wrongMethod(method)
    }
  }

  private static func check(_ key: SecretKey, header: [UInt8]) -> [UInt8] {
    HMACSHA256.code(for: header, key: HKDF.derive(key, label: "nyaru check"))
  }
}
