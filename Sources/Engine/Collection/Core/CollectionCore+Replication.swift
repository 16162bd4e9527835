/// A record's newest state, as other replicas need it.
package struct ChangedRecord: Sendable {
  package var sequence: UInt64

  /// The first sequence of the group that the write belonged to, if it was one.
  package var group: UInt64?
  package var idKey: [UInt8]
  package var state: RecordState

  /// 0, or the local number of the peer that the state came from unchanged.
  package var source: UInt32
}

/// A piece of the change feed.
package struct ChangePage: Sendable {
  package var records: [ChangedRecord]

  /// The sequence up to which the feed was read, also where nothing lives any more.
  package var through: UInt64

  /// Records that do not read; they are missing, not deleted.
  package var unreadable: [NyaruError]

  /// Their sequences.
  package var unreadableSequences: [UInt64] = []
}

/// What is to become of a record that came from elsewhere.
package enum ReplicationChange: Sendable {
  /// The record stays as it is.
  case keep

  /// The record takes the state; the source is 0, or the number of the peer it is equal to.
  case write(RecordState, source: UInt32)

  /// The record cannot take the state within the limits; it stays as it is.
  case refuse

  /// Nothing of the whole call is written.
  case stop
}

/// What the sync module needs: states instead of documents.
extension CollectionCore {
  /// The state of a record, or `nil` if it was never written.
  package nonisolated func state(of idKey: [UInt8]) throws(NyaruError) -> RecordState? {
    try stored(idKey).map { (record) throws(NyaruError) in
      try state(of: record, database.replicaIDs)
    }
  }

  /// The newest state of each record that changed in (`after`, `through`], in sequence order.
  ///
  /// Stops where a limit is reached, but never within a group.
  package nonisolated func changes(
    after: UInt64, through: UInt64, countLimit: Int, sizeLimit: Int
  ) throws(NyaruError) -> ChangePage {
    var page = ChangePage(records: [], through: through, unreadable: [])
    do throws(StorageError) {
      let snapshot = reader.snapshot()
      let authors = database.replicaIDs
      var size = 0
      var last = after
      while true {
        let window = try snapshot.changes(
          after: last, through: through, limit: Self.feedWindow)
        guard let end = window.last?.sequence else { break }
        let results = try snapshot.records(window.map(\.handle))
        for (entry, result) in zip(window, results) {
          guard let record = Self.changed(result, authors: authors, page: &page) else {
            page.unreadableSequences.append(entry.sequence)
            continue
          }
          let isFull = page.records.count >= countLimit || size >= sizeLimit
          if isFull, record.group == nil || record.group != page.records.last?.group {
            page.through = entry.sequence - 1
            return page
          }
          size += record.idKey.count + record.state.entries.reduce(0) { $0 + $1.body.count }
          page.records.append(record)
        }
        last = end
      }
    } catch {
      throw NyaruError(error)
    }
    return page
  }

  private static let feedWindow = 1024

  private static func changed(
    _ result: Result<StoredRecord, StorageError>, authors: [ReplicaID], page: inout ChangePage
  ) -> ChangedRecord? {
    switch result {
    case .success(let record):
      do throws(FormatError) {
        let prelude = try record.prelude(authors: authors)
        let state = try prelude.state(bodySection: record.view.bodySection)
        return ChangedRecord(
          sequence: record.sequence,
          group: record.isGroup ? record.sequence - UInt64(record.stamp.batchIndex) : nil,
          idKey: prelude.idKey, state: state, source: prelude.source)
      } catch {
        page.unreadable.append(.corruptedRecord(id: nil, reason: "\(error)"))
      }
    case .failure(let error): page.unreadable.append(NyaruError(error))
    }
    return nil
  }

  /// Takes states in one turn of the writer: all of them, or none if a decision stops.
  ///
  /// `decide` gets the state that is there now and the dot that a write in its place would have.
  /// No two of the states are of one record.
  /// - Returns: The changes as they were decided, and where a decision stopped.
  package func apply(
    _ incoming: [(idKey: [UInt8], state: RecordState)], isGroup: Bool,
    decide:
      @Sendable (
        _ current: RecordState?, _ incoming: RecordState, _ dot: Dot
      ) -> ReplicationChange
  ) async throws(NyaruError) -> (changes: [ReplicationChange], stoppedAt: Int?) {
    try checkOpen()
    try prepare(incoming.lazy.map(\.idKey))
    var turn = WriteTurn(self, count: 0)
    var changes: [ReplicationChange] = []
    changes.reserveCapacity(incoming.count)
    for (index, record) in incoming.enumerated() {
      let old = try readable(record.idKey)
      let current = try old.map { (old) throws(NyaruError) in try state(of: old, turn.authors) }
      let change = decide(current, record.state, turn.dot)
      switch change {
      case .keep, .refuse: break
      case .stop: return ([], index)
      case .write(let next, let source):
        turn.append(
          try self.record(
            next, idKey: record.idKey, source: source, previousIndexKeys: previousIndexKeys(old),
            sequence: turn.sequence, turn.authors))
      }
      changes.append(change)
    }
    try commit(turn.records, isGroup: isGroup && turn.records.count > 1)
    try await flushIfDue(written: turn.records.count)
    return (changes, nil)
  }
}
