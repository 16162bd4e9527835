import Synchronization

/// What becomes of parts of the checkpoint that are still to be read.
extension Store {
  /// Reads outside of the lock what the writes will touch.
  ///
  /// - Returns: Whether all of it does read.
  func loadPlaces(
    of records: [RecordWrite], previousKeys: (Int) -> [[UInt8]?]? = { _ in nil }
  ) -> Bool {
    guard let origin else { return true }
    if hasReadEnds, !origin.isPartialForWrites { return origin.failure == nil }
    let image = self.image
    if origin.isPartialForWrites {
      for (index, record) in records.enumerated() {
        image.load(
          record.idKey, keys: record.indexKeys,
          previousKeys: previousKeys(index) ?? record.previousIndexKeys)
      }
    }
    image.loadEnds(for: records.count)
    // Whatever is added from here on goes behind an end that was read.
    hasReadEnds = true
    return origin.failure == nil
  }

  /// The checkpoint of which parts may still be to be read, once the tail is taken in.
  ///
  /// Asking for it costs less than a copy of the image.
  private var origin: CheckpointSource? {
    settle()
    return source.state.withLock { $0.image.origin }
  }

  /// Makes sure that these records can be looked up.
  package func prepare(_ idKeys: some Sequence<[UInt8]>) throws(StorageError) {
    guard let origin else { return }
    if origin.isPartialForLookups {
      let image = self.image
      for idKey in idKeys { _ = image.entry(idKey.span) }
    }
    try rebuild()
  }

  /// Reads all parts; builds the image anew if one does not read.
  func loadAll() throws(StorageError) {
    var image = self.image
    guard image.origin != nil else { return }
    image.loadAll()
    if image.origin == nil {
      source.state.withLock { $0.image = image }
    } else {
      try rebuild()
    }
  }

  /// Builds the image from the slots, since a part of the checkpoint does not read, and writes
  /// another checkpoint.
  ///
  /// Whatever was replaced is older than what replaced it, and no slot is retired before its
  /// successor is durable. So the highest sequence of each id is the current one.
  ///
  /// - Returns: Whether there was a reason to.
  @discardableResult
  package func rebuild() throws(StorageError) -> Bool {
    guard source.state.withLock({ $0.image.origin })?.failure != nil else { return false }
    let old = source.state.withLock { $0.image }
    try checkWritable()
    abandonCompaction()
    var found: [FoundSlot] = []
    for case let state? in shardStates { found += try slots(of: state) }
    if found.contains(where: { !$0.isIntact && !$0.isRetired }) {
      do { try configuration.willForget() } catch { throw .io(error) }
    }
    let versions = found.filter { $0.isIntact && !$0.isRetired }
      .sorted { $0.stamp.sequence < $1.stamp.sequence }
      .map { slot in
        PlacedVersion(entry: slot.entry, idKey: slot.idKey, keys: slot.keys, previousKeys: [])
      }
    var image = StoreImage(indexCount: configuration.indexes.count)
    let replaced = image.apply(versions)
    image.lastSequence = old.lastSequence
    image.markerFloor = old.markerFloor
    source.state.withLock { state in
      state.image = image
      state.tail = nil
    }
    noteReplaced(replaced, in: image)
    isCheckpointStale = true
    try checkpoint()
    return true
  }

  /// Whatever is not current is to be retired: what the tail has replaced may not be known yet.
  private func noteReplaced(_ slots: [DeadSlot], in image: StoreImage) {
    tail = nil
    let known = Set(superseded.map(\.slot.location))
    superseded += slots.filter { !known.contains($0.slot.location) }
    for index in shardStates.indices { shardStates[index]?.liveSize = 0 }
    image.table.forEach { _, entry in
      shardStates[entry.shard]?.liveSize += entry.slotSize
      return true
    }
  }

  private func slots(of state: ShardState) throws(StorageError) -> [FoundSlot] {
    let file = try source.file(of: state.shard)
    var walk = ShardWalk(
      file, size: state.length,
      check: SlotCheck(
        shard: state.shard, codec: codec, configuration: configuration,
        sequences: 1...max(1, nextSequence - 1), readsKeys: true))
    do { try walk.walk(from: UInt64(ShardHeader.size)) } catch { throw .io(error) }
    return walk.found
  }
}
