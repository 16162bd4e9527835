import Synchronization

/// The side of a store that any thread may read, at any time.
package final class StoreReader: Sendable {
  /// How often a lookup starts again when the slot was moved or used again meanwhile.
  private static let attemptCount = 8

  let source: SlotSource

  init(source: SlotSource) { self.source = source }

  /// How many records there are.
  package var liveCount: Int {
    source.settle()
    return source.state.withLock { $0.image.liveCount }
  }

  /// The last sequence that was given out.
  package var lastSequence: UInt64 { source.state.withLock { $0.image.lastSequence } }

  /// The stable sequence: everything up to it is durable.
  package var durableSequence: UInt64 { source.state.withLock { $0.durableSequence } }

  package var statistics: StoreStatistics {
    source.settle()
    let otherFree = source.state.withLock { $0.otherFree }.content.size
    return source.state.withLock { state in
      var statistics = state.statistics
      statistics.freeSize += otherFree
      statistics.liveCount = state.image.liveCount
      statistics.deletionMarkers = state.image.table.count - state.image.liveCount
      statistics.liveSize = state.image.liveSize
      statistics.shards = state.shards.count { $0 != nil }
      statistics.pins = state.pins.count
      statistics.lastSequence = state.image.lastSequence
      statistics.durableSequence = state.durableSequence
      return statistics
    }
  }

  /// The newest version of the record.
  ///
  /// - Throws: ``StorageError/corruptedRecord(idKey:)`` if it does not read.
  package func record(
    _ idKey: [UInt8], includingDeleted: Bool = false
  ) throws(StorageError) -> StoredRecord? {
    var last: RecordEntry?
    for _ in 0..<Self.attemptCount {
      let found = try location(of: idKey, isRead: true)
      guard let found, includingDeleted || !found.entry.isDeletion else { return nil }
      do throws(StorageError) {
        if let record = try source.read(found) { return record }
      } catch  where error.isMissingFile {
        // A compaction has moved the record since the lookup.
      }
      // What does not read and is still the newest version is damaged.
      if last == found.entry { break }
      last = found.entry
    }
    source.noteUnreadable()
    throw .corruptedRecord(idKey: idKey)
  }

  /// Takes in what opening has found behind the checkpoint, which may read much.
  package func settle() { source.settle() }

  /// Where the newest version of the record lies; `nil` if it was never written.
  package func entry(_ idKey: [UInt8]) throws(StorageError) -> RecordEntry? {
    try location(of: idKey)?.entry
  }

  /// Whether the record exists, and is not deleted.
  package func contains(_ idKey: [UInt8]) throws(StorageError) -> Bool {
    try entry(idKey).map { !$0.isDeletion } ?? false
  }

  /// What is not in memory yet is read outside of the lock.
  private func location(
    of idKey: [UInt8], isRead: Bool = false
  ) throws(StorageError) -> SharedState.Location? {
    let (found, partial) = source.state.withLock { state in
      state.image.isPartialForLookups && state.tail?.entry(idKey) == nil
        ? (nil, state.image) : (state.location(of: idKey, isRead: isRead), nil)
    }
    guard let partial else { return found }
    _ = partial.entry(idKey.span)
    try partial.checkRead()
    return source.state.withLock { $0.location(of: idKey, isRead: isRead) }
  }

  /// The state as it is now, unchanged by later writes.
  package func snapshot() -> StoreSnapshot {
    settle()
    let (image, shards, pin) = source.state.withLock { state in
      state.image.adoptLookups()
      return (state.image, state.shards, state.pins.add(state.image.lastSequence))
    }
    return StoreSnapshot(source: source, image: image, shards: shards, pin: pin)
  }
}

extension StorageError {
  var isMissingFile: Bool {
    if case .io(let error) = self { error.isMissing } else { false }
  }
}
