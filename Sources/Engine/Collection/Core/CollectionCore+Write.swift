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
    for start in stride(from: 0, to: intents.count, by: Self.knownVersionCount) {
      let part = intents[start..<min(start + Self.knownVersionCount, intents.count)]
      let known = try knownVersions(of: part)
      for index in part.indices {
        try turn.add(intents[index], known: known[index - start], in: self)
      }
    }
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
    renewDictionaryIfDue()
  }

  /// Makes sure that the turn can look at these records.
  func prepare(_ idKeys: some Sequence<[UInt8]>) throws(NyaruError) {
    do throws(StorageError) { try store.prepare(idKeys) } catch { throw NyaruError(error) }
  }

  private func checkDistinct(_ intents: [WriteIntent]) throws(NyaruError) {
    // Most batches come in the order of their ids, and need no set.
    let isAscending = intents.indices.dropFirst().allSatisfy { index in
      ByteOrder.compare(intents[index - 1].idKey, intents[index].idKey) < 0
    }
    if isAscending { return }
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
    do throws(NyaruError) { return try stored(idKey) } catch {
      if case .corruptedRecord = error { return nil }
      throw error
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
    _ state: RecordState, document: PreparedDocument, previousIndexKeys: [[UInt8]?]?,
    sequence: UInt64, _ authors: [ReplicaID]
  ) -> RecordWrite {
    let isWhole = state.entries.count == 1
    let section = isWhole ? document.section : state.entries.flatMap(\.body)
    let method = isWhole ? document.compression : .none
    return RecordWrite(
      idKey: document.idKey, shardKey: document.shardKey,
      prelude: Prelude.encode(
        state, sequence: sequence, authors: authors, source: 0, idKey: document.idKey,
        rawSize: method == .none ? nil : document.body.count),
      bodySection: section, compression: method, indexKeys: indexKeys(of: document),
      previousIndexKeys: previousIndexKeys)
  }

  /// The document's keys; the indexes may have changed since it was prepared.
  func indexKeys(of document: PreparedDocument) -> [[UInt8]?] {
    let shape = shape
    if document.shapeNumber == shape.number { return document.indexKeys }
    let body = document.body
    return shape.tolerantIndexKeys(of: body.span, format: document.format)
  }

  /// The record of any state.
  func record(
    _ state: RecordState, idKey: [UInt8], source: UInt32, previousIndexKeys: [[UInt8]?]?,
    sequence: UInt64, _ authors: [ReplicaID]
  ) throws(NyaruError) -> RecordWrite {
    let shape = shape
    let section = state.entries.count == 1 ? state.entries[0].body : state.entries.flatMap(\.body)
    let smaller = state.isDeleted ? nil : shape.deflated(section)
    let prelude = Prelude.encode(
      state, sequence: sequence, authors: authors, source: source, idKey: idKey,
      rawSize: smaller.map { _ in section.count })
    guard let seen = state.seen else {
      return RecordWrite(
        idKey: idKey, isDeletion: true, prelude: prelude,
        previousIndexKeys: previousIndexKeys)
    }
    return RecordWrite(
      idKey: idKey, shardKey: shape.tolerantShardKey(of: seen.body, format: seen.format),
      prelude: prelude, bodySection: smaller?.bytes ?? section,
      compression: smaller?.method ?? .none,
      indexKeys: shape.tolerantIndexKeys(of: seen.body.span, format: seen.format),
      previousIndexKeys: previousIndexKeys)
  }

  func previousIndexKeys(_ old: StoredRecord?) -> [[UInt8]?]? {
    old.flatMap { shape.indexKeys(ofVersion: $0) }
  }
}
