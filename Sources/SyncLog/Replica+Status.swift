public import NyaruEngine

/// Where a database stands.
public struct ReplicaStatus: Codable, Equatable, Sendable {
  /// One collection.
  public struct Collection: Codable, Equatable, Sendable {
    /// The name.
    public var name: String

    /// The sequence of the newest change that is durable.
    public var sequence: UInt64
  }

  /// Another side that this database has synced with.
  public struct Peer: Codable, Equatable, Sendable {
    /// Where it was reached last.
    public var address: String

    /// Its own name, in hexadecimal digits.
    public var identity: String

    /// Seconds since 1970 at the end of the last complete sync, 0 if there was none.
    public var lastSync: UInt64

    /// Records that changed here and have not been pushed there.
    public var unpushed: Int
  }

  /// The vault in hexadecimal digits: what the address at an endpoint ends with.
  public var vault: String?

  /// The name of this database, in hexadecimal digits.
  public var databaseID: String

  /// The author of what is written here, in hexadecimal digits.
  public var replica: String

  /// The collections, by name.
  public var collections: [Collection]

  /// The other sides.
  public var peers: [Peer]
}

extension Replica {
  /// Where the database stands, from what is here: no peer is asked.
  public func status() async throws(SyncError) -> ReplicaStatus {
    try await mapping {
      let key = try await database.vaultKey()
      let stores = try await database.stores()
      var status = ReplicaStatus(
        vault: key.map { "\(VaultKeys.vault(of: $0))" }, databaseID: "\(database.databaseID)",
        replica: "\(database.author)", collections: [], peers: [])
      var sequences: [UInt64] = []
      for store in stores {
        sequences.append(try await store.sync())
        status.collections.append(
          ReplicaStatus.Collection(name: store.name, sequence: sequences.last ?? 0))
      }
      let tags = key.map { TagMaker(VaultKeys(key: $0)) }
      let peers = try SyncDirectory(database.syncDirectory).peers()
      for (number, peer) in peers.sorted(by: { $0.value.address < $1.value.address }) {
        var unpushed = 0
        for (store, sequence) in zip(stores, sequences) {
          let entry = tags.flatMap { peer.collections[$0.collection(store.name)] }
          unpushed += try await Self.unpushed(
            store, after: entry?.pushedThrough ?? 0, through: sequence, source: number)
        }
        status.peers.append(
          ReplicaStatus.Peer(
            address: peer.address, identity: "\(peer.peer)", lastSync: peer.lastSync,
            unpushed: unpushed))
      }
      return status
    }
  }

  /// The vault of the database, in hexadecimal digits; one that has none gets one.
  public func vault() async throws(SyncError) -> String {
    try await mapping { "\(VaultKeys.vault(of: try await Vault.key(of: database)))" }
  }

  /// The key of the vault, for another replica to join; whoever has it can read everything.
  public func exportVaultKey() async throws(SyncError) -> SecretKey {
    try await mapping {
      let key = try await Vault.key(of: database)
      try await database.shareVault()
      return key
    }
  }

  /// Makes the database part of the vault that the key opens.
  ///
  /// - Throws: ``SyncError/vaultMismatch(local:remote:)`` if it shares another one already.
  public func join(_ key: SecretKey) async throws(SyncError) {
    try await mapping {
      let vault = VaultKeys.vault(of: key)
      if let current = try await database.vaultKey() {
        let old = VaultKeys.vault(of: current)
        guard old == vault || database.isVaultNew else {
          throw SyncError.vaultMismatch(local: "\(old)", remote: "\(vault)")
        }
      }
      try await database.setVaultKey(key, isNew: false)
    }
  }

  private static func unpushed(
    _ store: any RecordStore, after: UInt64, through: UInt64, source: UInt32
  ) async throws -> Int {
    var (after, count) = (after, 0)
    while after < through {
      let page = try await store.feed(after: after, through: through, limit: FeedLimit())
      count += page.records.count { $0.source != source }
      after = page.through
    }
    return count
  }
}
