package import NyaruEngine
package import NyaruSyncLog
internal import Synchronization

/// A database for sync tests: states in memory, the folder `sync/` on a simulated disk.
///
/// It can be copied like a directory, and records in it can be lost.
package final class MemoryDatabase: ReplicaDatabase {
  /// What a copy takes along.
  fileprivate struct State: Sendable {
    var databaseID = Identity.random()
    var authors = [ReplicaID.random()]
    var key: SecretKey?
    var isVaultNew = false
    var stores: [MemoryStore] = []

    /// The sequences that dropped collections used.
    var floors: [String: UInt64] = [:]
  }

  package let path: String
  package let disk: SimulatedDisk
  private let state: Mutex<State>

  package init(_ path: String, key: SecretKey? = nil) {
    self.path = path
    disk = SimulatedDisk()
    state = Mutex(State(key: key))
  }

  private init(copying other: MemoryDatabase, path: String) {
    self.path = path
    disk = SimulatedDisk(other.disk.image)
    state = Mutex(other.state.withLock { $0 })
    let stores = state.withLock { $0.stores }
    let copies = stores.map { MemoryStore(copying: $0, database: self) }
    state.withLock { $0.stores = copies }
  }

  /// The directory, copied by a person.
  ///
  /// If `isFound`, opening it shows that it is a copy, and it takes new identities.
  package func copy(_ path: String, isFound: Bool) async -> MemoryDatabase {
    let copy = MemoryDatabase(copying: self, path: path)
    if isFound {
      copy.state.withLock { $0.databaseID = .random() }
      await copy.renewAuthor()
    }
    return copy
  }

  package var databaseID: Identity { state.withLock { $0.databaseID } }
  package var authors: [ReplicaID] { state.withLock { $0.authors } }
  package var isVaultNew: Bool { state.withLock { $0.isVaultNew } }
  package var syncDirectory: any Directory { disk.root }

  package func vaultKey() async -> SecretKey? { state.withLock { $0.key } }

  package func setVaultKey(_ key: SecretKey, isNew: Bool) async {
    state.withLock { ($0.key, $0.isVaultNew) = (key, isNew) }
  }

  package func markVaultNew() async { state.withLock { $0.isVaultNew = $0.key != nil } }

  package func shareVault() async { state.withLock { $0.isVaultNew = false } }

  package func renewAuthor() async { state.withLock { $0.authors.append(.random()) } }

  package func stores() async -> [any RecordStore] { state.withLock { $0.stores } }

  package func makeStore(name: String, idField: String) async -> any RecordStore {
    store(name, idField: idField)
  }

  /// The collection, created if need be.
  package func store(_ name: String, idField: String = "id") -> MemoryStore {
    state.withLock { state in
      if let store = state.stores.first(where: { $0.name == name }) { return store }
      let store = MemoryStore(
        name: name, idField: idField, database: self, floor: state.floors[name] ?? 0)
      state.stores.append(store)
      return store
    }
  }

  /// Drops a collection; one of the same name starts from nothing, but not at sequence 1.
  package func drop(_ name: String) {
    state.withLock { state in
      state.floors[name] = state.stores.first { $0.name == name }?.sequence
      state.stores.removeAll { $0.name == name }
    }
  }
}

/// A collection of a ``MemoryDatabase``.
package final class MemoryStore: RecordStore {
  /// One record, as the last write left it.
  fileprivate struct Record: Sendable {
    var state: RecordState
    var sequence: UInt64
    var group: UInt64?
    var source: UInt32
  }

  fileprivate struct State: Sendable {
    var records: [[UInt8]: Record] = [:]
    var sequence: UInt64 = 0
  }

  package let name: String
  package let idField: String
  package let collectionID: Identity
  private unowned let database: MemoryDatabase
  private let state: Mutex<State>

  fileprivate init(name: String, idField: String, database: MemoryDatabase, floor: UInt64) {
    self.name = name
    self.idField = idField
    self.database = database
    collectionID = .random()
    state = Mutex(State(sequence: floor))
  }

  fileprivate init(copying other: MemoryStore, database: MemoryDatabase) {
    name = other.name
    idField = other.idField
    collectionID = other.collectionID
    self.database = database
    state = Mutex(other.state.withLock { $0 })
  }

  package func sync() async -> UInt64 { state.withLock { $0.sequence } }

  package func feed(
    after: UInt64, through: UInt64, limit: FeedLimit
  ) async -> FeedPage {
    let records = state.withLock { $0.records }
      .filter { $0.value.sequence > after && $0.value.sequence <= through }
      .sorted { $0.value.sequence < $1.value.sequence }
    var page = FeedPage(records: [], through: through)
    var size = 0
    for (idKey, record) in records {
      let isInGroup = record.group != nil && record.group == page.records.last?.group
      if !page.records.isEmpty, page.records.count >= limit.count || size >= limit.size, !isInGroup
      {
        page.through = record.sequence - 1
        break
      }
      size += record.state.entries.reduce(0) { $0 + $1.body.count }
      page.records.append(
        FeedRecord(
          sequence: record.sequence, group: record.group, idKey: idKey, state: record.state,
          source: record.source))
    }
    return page
  }

  package func state(of idKey: [UInt8]) async -> RecordState? { current(idKey) }

  package func isUntouched() async -> Bool { state.withLock { $0.records.isEmpty } }

  package func apply(
    _ incoming: [IncomingRecord], isGroup: Bool, decide: @escaping StateDecision
  ) async -> ApplyOutcome {
    let author = database.author
    return state.withLock { state in
      var next = state
      var changes: [StateChange] = []
      for (index, record) in incoming.enumerated() {
        let dot = Dot(replica: author, sequence: next.sequence + 1)
        let change = decide(next.records[record.idKey]?.state, record.state, dot)
        if case .stop = change { return ApplyOutcome(changes: [], stoppedAt: index) }
        if case .write(let written, let source) = change {
          next.sequence += 1
          next.records[record.idKey] = Record(
            state: written, sequence: next.sequence, group: isGroup ? state.sequence + 1 : nil,
            source: source)
        }
        changes.append(change)
      }
      state = next
      return ApplyOutcome(changes: changes)
    }
  }
}

/// What an application does.
extension MemoryStore {
  package func current(_ idKey: [UInt8]) -> RecordState? {
    state.withLock { $0.records[idKey]?.state }
  }

  /// All records, by their ids.
  package var states: [[UInt8]: RecordState] { state.withLock { $0.records.mapValues(\.state) } }

  package var sequence: UInt64 { state.withLock { $0.sequence } }

  /// Bodies of the seen versions, by their ids.
  package var documents: [[UInt8]: [UInt8]] { states.compactMapValues { $0.seen?.body } }

  /// Writes documents in one batch, which is a group if it is told to be.
  package func write(
    _ documents: [([UInt8], [UInt8])], now: UInt64 = 1000, isGroup: Bool = false
  ) {
    change(documents.map(\.0), isGroup: isGroup) { state, dot, index in
      state.writing(
        documents[index].1, format: .messagePack, dot: dot,
        tag: .random(in: 0 ... .max), now: now)
    }
  }

  package func write(_ idKey: [UInt8], _ body: [UInt8], now: UInt64 = 1000) {
    write([(idKey, body)], now: now)
  }

  package func delete(_ idKey: [UInt8], includingConflicts: Bool = false) {
    change([idKey], isGroup: false) { state, dot, _ in
      state.deleting(dot: dot, includingConflicts: includingConflicts)
    }
  }

  package func resolve(_ idKey: [UInt8], _ body: [UInt8], now: UInt64 = 1000) {
    change([idKey], isGroup: false) { state, dot, _ in
      state.resolving(
        body, format: .messagePack, dot: dot, tag: .random(in: 0 ... .max), now: now)
    }
  }

  /// Loses a record without a trace, as damage does.
  package func forget(_ idKey: [UInt8]) { state.withLock { $0.records[idKey] = nil } }

  private func change(
    _ ids: [[UInt8]], isGroup: Bool, _ next: (RecordState, Dot, Int) -> RecordState
  ) {
    let author = database.author
    state.withLock { state in
      let start = state.sequence + 1
      for (index, id) in ids.enumerated() {
        state.sequence += 1
        let dot = Dot(replica: author, sequence: state.sequence)
        state.records[id] = Record(
          state: next(state.records[id]?.state ?? .unwritten, dot, index),
          sequence: state.sequence, group: isGroup ? start : nil, source: 0)
      }
    }
  }
}
