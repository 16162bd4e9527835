/// Writing: check and act in one turn.
extension CollectionCore {
  /// Writes all operations under consecutive sequences, or none.
  ///
  /// Deletions of records that do not exist are left out. When the call returns, readers see the
  /// result; it survives a power cut after the next flush.
  ///
  /// - Returns: How many records were written.
  package func write(
    _ intents: [WriteIntent], isGroup: Bool = false
  ) async throws(NyaruError) -> Int {
    try checkOpen()
    try checkDistinct(intents)
    try prepare(intents.lazy.map(\.idKey))
    var turn = WriteTurn(self, count: intents.count)
    for intent in intents { try turn.add(intent, in: self) }
    try commit(turn.records, isGroup: isGroup && turn.records.count > 1)
    try await flushIfDue(written: turn.records.count)
    return turn.records.count
  }

  /// Hands records to the store, and starts a checkpoint where one is due.
  func commit(_ records: [RecordWrite], isGroup: Bool) throws(NyaruError) {
    guard !records.isEmpty else { return }
    let limit = SyncedLimits.groupSize
    if isGroup, database.isReplicated {
      let size = records.reduce(0) { $0 + $1.bodySection.count + $1.prelude.count }
      guard size <= limit else {
        throw .limitExceeded(limit: "groupSize", maximum: limit, actual: size)
      }
    }
    do throws(StorageError) {
      try store.commit(records, isGroup: isGroup)
      if store.needsCheckpoint { try store.checkpoint() }
    } catch {
      throw NyaruError(error)
    }
  }

  /// Makes sure that the turn can look at these records.
  func prepare(_ idKeys: some Sequence<[UInt8]>) throws(NyaruError) {
    do throws(StorageError) { try store.prepare(idKeys) } catch { throw NyaruError(error) }
  }

  private func checkDistinct(_ intents: [WriteIntent]) throws(NyaruError) {
    guard intents.count > 1 else { return }
    var seen = Set<[UInt8]>(minimumCapacity: intents.count)
    for intent in intents where !seen.insert(intent.idKey).inserted {
      throw .repeatedID(intent.id)
    }
  }
}

/// Limits of what is sent to other replicas.
package enum SyncedLimits {
  /// Bytes of the records of one batch that travels whole.
  package static let groupSize = 8 << 20
}

/// The records that one turn of the writer puts together.
struct WriteTurn {
  private(set) var records: [RecordWrite] = []
  let authors: [ReplicaID]
  let author: ReplicaID
  let now: UInt64
  let isReplicated: Bool
  private let first: UInt64
  private var tags: [UInt8]
  private var tagOffset = 0

  init(_ core: isolated CollectionCore, count: Int) {
    authors = core.database.replicaIDs
    author = core.database.replicaID
    isReplicated = core.database.isReplicated
    now = core.now()
    first = core.store.nextSequence
    tags = RandomBytes.next(count * 8)
    records.reserveCapacity(count)
  }

  /// The sequence of the next record.
  var sequence: UInt64 { first + UInt64(records.count) }
  var dot: Dot { Dot(replica: author, sequence: sequence) }

  mutating func append(_ record: RecordWrite) { records.append(record) }

  mutating func nextTag() -> UInt64 {
    defer { tagOffset += 8 }
    return tags[tagOffset..<tagOffset + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Checks the operation against the record that is there, and adds what it writes.
  mutating func add(
    _ intent: WriteIntent, in core: isolated CollectionCore
  ) throws(NyaruError) {
    let entry = try NyaruError.storage { () throws(StorageError) in
      try core.reader.entry(intent.idKey)
    }
    let old = entry == nil ? nil : try core.readable(intent.idKey)
    let exists = entry.map { !$0.isDeletion } ?? false
    if let expected = intent.expectedSequence, entry?.sequence != expected {
      throw .changedMeanwhile(intent.id)
    }
    switch intent.kind {
    case .insert where exists: throw .duplicateID(intent.id)
    case .update where !exists: throw .documentNotFound(intent.id)
    case .delete where !exists: return
    default: break
    }
    let state = try old.map { (old) throws(NyaruError) in try core.state(of: old, authors) }
    if intent.kind == .delete {
      try addDeletion(of: intent, state: state ?? .unwritten, old: old, in: core)
      return
    }
    var document = intent.document
    if let revision = intent.revision, let seen = exists ? state?.seen : nil {
      document = try revision(seen.body, seen.format)
    }
    guard let document else {
      throw .corruptedRecord(id: intent.id, reason: "what is to be changed does not read")
    }
    guard document.idKey == intent.idKey else {
      throw .idChanged(from: intent.id, to: document.id)
    }
    if isReplicated, document.body.count > DocumentLimits.syncedDocumentSize {
      throw .limitExceeded(
        limit: "syncedDocumentSize", maximum: DocumentLimits.syncedDocumentSize,
        actual: document.body.count)
    }
    let base = state ?? .unwritten
    let tag = nextTag()
    let next =
      intent.kind == .resolve
      ? base.resolving(document.body, format: document.format, dot: dot, tag: tag, now: now)
      : base.writing(document.body, format: document.format, dot: dot, tag: tag, now: now)
    append(core.record(next, document: document, old: old, sequence: sequence, authors))
  }

  private mutating func addDeletion(
    of intent: WriteIntent, state: RecordState, old: StoredRecord?,
    in core: isolated CollectionCore
  ) throws(NyaruError) {
    let next = state.deleting(dot: dot, includingConflicts: false)
    append(
      try core.record(
        next, idKey: intent.idKey, source: 0, old: old, sequence: sequence, authors))
  }
}

extension CollectionCore {
  /// The newest version of a record, deletion markers included.
  nonisolated func stored(_ idKey: [UInt8]) throws(NyaruError) -> StoredRecord? {
    try NyaruError.storage { () throws(StorageError) in
      try reader.record(idKey, includingDeleted: true)
    }
  }

  /// The newest version of a record, or `nil` also if it does not read: then it is replaced like
  /// one that was never seen.
  nonisolated func readable(_ idKey: [UInt8]) throws(NyaruError) -> StoredRecord? {
    do throws(StorageError) {
      return try reader.record(idKey, includingDeleted: true)
    } catch {
      if case .corruptedRecord = error { return nil }
      throw NyaruError(error)
    }
  }

  nonisolated func state(
    of record: StoredRecord, _ authors: [ReplicaID]
  ) throws(NyaruError) -> RecordState {
    do throws(FormatError) {
      return try record.state(authors: authors)
    } catch {
      throw .corruptedRecord(id: try? OrderedKey.decode(record.idKey), reason: "\(error)")
    }
  }

  /// The record of a state whose seen document is at hand, prepared.
  func record(
    _ state: RecordState, document: PreparedDocument, old: StoredRecord?, sequence: UInt64,
    _ authors: [ReplicaID]
  ) -> RecordWrite {
    let isWhole = state.entries.count == 1
    let section = isWhole ? document.section : state.entries.flatMap(\.body)
    let method = isWhole ? document.compression : .none
    let shape = shape
    // The indexes may have changed between the preparation and the writer's turn.
    let indexKeys =
      document.shapeNumber == shape.number
      ? document.indexKeys
      : shape.tolerantIndexKeys(of: document.body, format: document.format)
    return RecordWrite(
      idKey: document.idKey, shardKey: document.shardKey,
      prelude: Prelude.encode(
        state, sequence: sequence, authors: authors, source: 0, idKey: document.idKey,
        rawSize: method == .none ? nil : document.body.count),
      bodySection: section, compression: method, indexKeys: indexKeys,
      previousIndexKeys: previousIndexKeys(old))
  }

  /// The record of any state.
  func record(
    _ state: RecordState, idKey: [UInt8], source: UInt32, old: StoredRecord?, sequence: UInt64,
    _ authors: [ReplicaID]
  ) throws(NyaruError) -> RecordWrite {
    var write = RecordWrite(
      idKey: idKey, isDeletion: state.isDeleted, prelude: [],
      previousIndexKeys: previousIndexKeys(old))
    var rawSize: Int?
    if let seen = state.seen {
      let shape = shape
      write.shardKey = shape.tolerantShardKey(of: seen.body, format: seen.format)
      write.indexKeys = shape.tolerantIndexKeys(of: seen.body, format: seen.format)
      write.bodySection = state.entries.count == 1 ? seen.body : state.entries.flatMap(\.body)
      if let smaller = shape.deflated(write.bodySection) {
        rawSize = write.bodySection.count
        write.bodySection = smaller
        write.compression = .gzip
      }
    }
    write.prelude = Prelude.encode(
      state, sequence: sequence, authors: authors, source: source, idKey: idKey,
      rawSize: rawSize)
    return write
  }

  private func previousIndexKeys(_ old: StoredRecord?) -> [[UInt8]?]? {
    guard let old, !old.isDeletion else { return nil }
    let shape = shape
    if shape.indexedFields.isEmpty { return [] }
    return shape.tolerantIndexKeys(of: Array(old.body), format: old.layout.format)
  }
}
