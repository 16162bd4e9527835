internal import NyaruEngine

/// Which vault a database belongs to, and how two come to share one.
enum Vault {
  /// What two databases are to share, and who has to change for that.
  struct Membership {
    var key: SecretKey
    var joining: [any ReplicaDatabase] = []
    var sharing: [any ReplicaDatabase] = []

    /// Makes it so; durable when the call returns.
    func apply() async throws {
      for database in joining { try await database.setVaultKey(key, isNew: false) }
      for database in sharing { try await database.shareVault() }
    }
  }

  /// The key of the database's vault; one that has none gets one.
  static func key(of database: any ReplicaDatabase) async throws -> SecretKey {
    if let key = try await database.vaultKey() { return key }
    let key = SecretKey.random()
    try await database.setVaultKey(key, isNew: true)
    return key
  }

  /// The vault that both databases have, or will have.
  ///
  /// A database without data joins the other one's vault, unless a person gave it its own. Two
  /// with data must be joined explicitly: the second one then moves to the vault of the first.
  static func common(
    _ first: any ReplicaDatabase, _ second: any ReplicaDatabase, joins: Bool
  ) async throws -> Membership {
    let firstKey = try await first.vaultKey()
    let secondKey = try await second.vaultKey()
    if let firstKey, let secondKey, VaultKeys.vault(of: firstKey) == VaultKeys.vault(of: secondKey)
    {
      return Membership(key: firstKey, sharing: [first, second])
    }
    if joins { return joined(first, firstKey, by: second) }
    let isFirstFree = firstKey == nil || first.isVaultNew
    let isSecondFree = secondKey == nil || second.isVaultNew
    if isSecondFree, try await !holdsData(second) { return joined(first, firstKey, by: second) }
    if isFirstFree, try await !holdsData(first) { return joined(second, secondKey, by: first) }
    if isFirstFree, isSecondFree {
      throw SyncError.joinNeeded(local: first.path, remote: second.path)
    }
    throw SyncError.vaultMismatch(local: name(firstKey), remote: name(secondKey))
  }

  private static func joined(
    _ host: any ReplicaDatabase, _ key: SecretKey?, by guest: any ReplicaDatabase
  ) -> Membership {
    guard let key else { return Membership(key: .random(), joining: [host, guest]) }
    return Membership(key: key, joining: [guest], sharing: [host])
  }

  private static func name(_ key: SecretKey?) -> String {
    key.map { "\(VaultKeys.vault(of: $0))" } ?? "none"
  }

  private static func holdsData(_ database: any ReplicaDatabase) async throws -> Bool {
    for store in try await database.stores() where try await !store.isUntouched() { return true }
    return false
  }
}
