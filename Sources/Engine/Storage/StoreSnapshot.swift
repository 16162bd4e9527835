import Synchronization

/// A store's state at one point in time, for as long as it is held.
///
/// The slots that it needs are not used again, and their files stay, until it goes.
package final class StoreSnapshot: Sendable {
  let source: SlotSource
  let image: StoreImage
  let shards: [Shard?]
  private let pin: UInt64

  init(source: SlotSource, image: StoreImage, shards: [Shard?], pin: UInt64) {
    self.source = source
    self.image = image
    self.shards = shards
    self.pin = pin
  }

  deinit {
    source.state.withLock { [pin] in $0.pins.remove(pin) }
  }

  /// The last sequence in it.
  package var sequence: UInt64 { image.lastSequence }

  /// How many records there are.
  package var liveCount: Int { image.liveCount }

  /// How many records there are, unless a part of the checkpoint that could say it does not read.
  package func count() throws(StorageError) -> Int {
    try image.checkRead()
    return liveCount
  }

  /// The version of the record.
  ///
  /// - Throws: ``StorageError/corruptedRecord(idKey:)`` if it does not read.
  package func record(
    _ idKey: [UInt8], includingDeleted: Bool = false
  ) throws(StorageError) -> StoredRecord? {
    let found = image.entry(idKey.span)
    try image.checkRead()
    guard let entry = found, includingDeleted || !entry.isDeletion else { return nil }
    guard let record = try read(entry) else { throw .corruptedRecord(idKey: idKey) }
    return record
  }

  /// The version behind a handle of this snapshot.
  package func record(handle: UInt32) throws(StorageError) -> StoredRecord {
    let found = image.entry(handle)
    try image.checkRead()
    guard let entry = found, let record = try read(entry) else {
      throw .corruptedRecord(idKey: idKey(of: handle) ?? [])
    }
    return record
  }

  package func entry(_ handle: UInt32) -> RecordEntry? { image.entry(handle) }

  /// The handle of a record, also if it is deleted.
  func handle(of idKey: [UInt8]) throws(StorageError) -> UInt32? {
    let handle = image.ids.first(idKey)
    try image.checkRead()
    return handle
  }

  /// Calls the body for the records with ids in the range, in their order, until it says `false`.
  package func forEachID(
    in range: KeyRange = .all, descending: Bool = false, includingDeleted: Bool = false,
    _ body: (UInt32) -> Bool
  ) throws(StorageError) {
    var cursor = image.ids.cursor(range, descending: descending)
    while let handle = cursor.next() {
      guard let entry = image.entry(handle), includingDeleted || !entry.isDeletion else {
        continue
      }
      guard body(handle) else { break }
    }
    try image.checkRead()
  }

  /// The records with ids in the range, in their order, at most `limit` of them; and the last id.
  package func handles(
    inIDs range: KeyRange, limit: Int
  ) throws(StorageError) -> (handles: [UInt32], last: [UInt8]?) {
    var handles: [UInt32] = []
    var cursor = image.ids.cursor(range)
    while handles.count < limit, let handle = cursor.next() {
      if let entry = image.entry(handle), !entry.isDeletion { handles.append(handle) }
    }
    let last = handles.isEmpty ? nil : cursor.key
    try image.checkRead()
    return (handles, last)
  }

  /// Calls the body for the records with index keys in the range, in their order.
  package func forEach(
    inIndex index: Int, _ range: KeyRange = .all, descending: Bool = false,
    _ body: (UInt32) -> Bool
  ) throws(StorageError) {
    var cursor = image.indexes[index].cursor(range, descending: descending)
    while let handle = cursor.next() {
      guard body(handle) else { break }
    }
    try image.checkRead()
  }

  /// How many records have index keys in the range.
  package func count(inIndex index: Int, _ range: KeyRange) throws(StorageError) -> Int {
    let count = image.indexes[index].count(range)
    try image.checkRead()
    return count
  }

  /// The newest version of each record that was written after one sequence and up to another.
  ///
  /// Changes after 0 are those of all records that exist, whatever was forgotten.
  ///
  /// - Throws: ``StorageError/changesCollected(below:)`` if deletions in between were forgotten.
  package func changes(
    after first: UInt64, through last: UInt64 = .max, limit: Int = .max
  ) throws(StorageError) -> [ChangeIndex.Entry] {
    guard first == 0 || first >= image.markerFloor else {
      throw .changesCollected(below: image.markerFloor)
    }
    let changes = image.changes.entries(
      after: first, through: last, in: image.table, limit: limit)
    try image.checkRead()
    return changes
  }

  /// The id of a record that may not read.
  ///
  /// - Complexity: O(*n*)
  package func idKey(of handle: UInt32) -> [UInt8]? {
    var cursor = image.ids.cursor()
    while let next = cursor.next() {
      if next == handle { return cursor.key }
    }
    return nil
  }

  /// The ids of records that may not read.
  ///
  /// - Complexity: O(*n*)
  package func idKeys(of handles: Set<UInt32>) -> [UInt32: [UInt8]] {
    var keys: [UInt32: [UInt8]] = [:]
    var cursor = image.ids.cursor()
    while keys.count < handles.count, let next = cursor.next() {
      if handles.contains(next) { keys[next] = cursor.key }
    }
    return keys
  }

  private func read(_ entry: RecordEntry) throws(StorageError) -> StoredRecord? {
    guard let shard = shards[entry.shard] else { return nil }
    let location = SharedState.Location(entry: entry, shard: shard, file: nil)
    return try source.read(location)
  }
}
