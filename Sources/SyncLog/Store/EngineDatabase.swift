internal import NyaruEngine

/// The engine's database, as sync sees it.
struct EngineDatabase: ReplicaDatabase {
  let database: NyaruDB

  init(_ database: NyaruDB) { self.database = database }

  private var directory: DatabaseDirectory { database.directory }

  // An identity takes sixteen bytes, and a databaseID has them.
  var databaseID: Identity { Identity(directory.databaseID) ?? .none }
  var path: String { database.path }
  var authors: [ReplicaID] { directory.replicaIDs }
  var isVaultNew: Bool { directory.isVaultNew }
  var syncDirectory: any Directory { directory.syncDirectory }

  func vaultKey() async throws -> SecretKey? { try directory.vault()?.key }

  func setVaultKey(_ key: SecretKey, isNew: Bool) async throws {
    // From here on others may have to hear of deletions.
    let vault = VaultMembership(id: VaultKeys.vault(of: key).bytes, key: key)
    try directory.setVault(vault, isNew: isNew)
    await database.keepDeletionMarkers()
  }

  func shareVault() async throws { try directory.shareVault() }

  func renewAuthor() async throws { _ = try directory.addReplicaID() }

  func stores() async throws -> [any RecordStore] {
    // A copy found at opening has its new author, and what it holds was written before.
    try directory.finishReidentification()
    var stores: [any RecordStore] = []
    for name in try await database.listCollections() {
      if let core = try await database.openCore(name) {
        stores.append(EngineStore(core))
      }
    }
    return stores
  }

  func makeStore(name: String, idField: String) async throws -> any RecordStore {
    let options = CollectionOptions(idField: idField)
    return EngineStore(try await database.core(name, options: options))
  }
}

/// A collection of the engine, as sync sees it.
struct EngineStore: RecordStore {
  let core: CollectionCore

  init(_ core: CollectionCore) { self.core = core }

  var name: String { core.name }
  var idField: String { core.idField }

  // An identity takes sixteen bytes, and a collectionID has them.
  var collectionID: Identity { Identity(core.collectionID) ?? .none }

  func sync() async throws -> UInt64 { try await core.sync() }

  func feed(
    after: UInt64, through: UInt64, limit: FeedLimit
  ) async throws -> FeedPage {
    let page = try core.changes(
      after: after, through: through, countLimit: limit.count, sizeLimit: limit.size)
    let records = page.records.map { record in
      FeedRecord(
        sequence: record.sequence, group: record.group, idKey: record.idKey,
        state: record.state, source: record.source)
    }
    let unreadable = page.unreadable.map { "\(name): \($0)" }
    return FeedPage(records: records, through: page.through, unreadable: unreadable)
  }

  func state(of idKey: [UInt8]) async throws -> RecordState? { try core.state(of: idKey) }

  func isUntouched() async throws -> Bool {
    try core.reader.snapshot().changes(after: 0, limit: 1).isEmpty
  }

  func apply(
    _ incoming: [IncomingRecord], isGroup: Bool, decide: @escaping StateDecision
  ) async throws -> ApplyOutcome {
    let outcome = try await core.apply(
      incoming.map { ($0.idKey, $0.state) }, isGroup: isGroup
    ) { current, incoming, dot in
      switch decide(current, incoming, dot) {
      case .keep: .keep
      case .refuse: .refuse
      case .stop: .stop
      case .write(let state, let source): .write(state, source: source)
      }
    }
    let changes = outcome.changes.map { change -> StateChange in
      switch change {
      case .keep: .keep
      case .refuse: .refuse
      case .stop: .stop
      case .write(let state, let source): .write(state, source: source)
      }
    }
    return ApplyOutcome(changes: changes, stoppedAt: outcome.stoppedAt)
  }
}
