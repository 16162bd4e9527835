import Synchronization

/// Writing records.
extension Store {
  /// Writes the records under the next sequences: all or nothing, whatever happens.
  ///
  /// - Returns: The first sequence.
  @discardableResult
  package func commit(
    _ records: [RecordWrite], isGroup: Bool = false
  ) throws(StorageError) -> UInt64 {
    try checkWritable()
    let first = nextSequence
    guard !records.isEmpty else { return first }
    try checkLimits(records)
    var drafts = try self.drafts(of: records, isGroup: isGroup)
    try reserve(records.count)
    for index in drafts.indices {
      drafts[index].stamp.sequence = first + UInt64(index)
      drafts[index].stamp.batchIndex = UInt32(index)
      drafts[index].stamp.batchCount = UInt32(drafts.count)
    }
    if drafts.count == 1 {
      let entry = try writeOne(records[0], drafts[0])
      apply([version(records[0], drafts[0], entry)], isNew: true)
    } else {
      let entries = try writeAll(records, drafts)
      apply(
        records.indices.map { version(records[$0], drafts[$0], entries[$0]) }, isNew: true)
    }
    return first
  }

  /// The drafts, once all that they touch in memory is there.
  private func drafts(
    of records: [RecordWrite], isGroup: Bool
  ) throws(StorageError) -> [Draft] {
    if !loadPlaces(of: records) { try rebuild() }
    let drafts = try makeDrafts(of: records, isGroup: isGroup)
    if records.allSatisfy({ $0.previousIndexKeys != nil }) { return drafts }
    if loadPlaces(of: records, previousKeys: { drafts[$0].previousKeys }) { return drafts }
    try rebuild()
    return try makeDrafts(of: records, isGroup: isGroup)
  }

  private func makeDrafts(
    of records: [RecordWrite], isGroup: Bool
  ) throws(StorageError) -> [Draft] {
    var drafts: [Draft] = []
    drafts.reserveCapacity(records.count)
    for index in records.indices { drafts.append(try draft(records[index], isGroup: isGroup)) }
    return drafts
  }

  private func checkLimits(_ records: [RecordWrite]) throws(StorageError) {
    guard records.count <= StorageLimits.batchCount else {
      throw .limit(name: "batchCount", limit: UInt64(StorageLimits.batchCount))
    }
    var size = 0
    for index in records.indices {
      let payloadSize = codec.storedSize(of: records[index])
      guard payloadSize <= StorageLimits.payloadSize else {
        throw .limit(name: "payloadSize", limit: UInt64(StorageLimits.payloadSize))
      }
      size += payloadSize
    }
    guard records.count == 1 || size <= StorageLimits.batchSize else {
      throw .limit(name: "batchSize", limit: UInt64(StorageLimits.batchSize))
    }
  }

  /// Finds the record's shard, and the keys that its current version has.
  private func draft(_ record: RecordWrite, isGroup: Bool) throws(StorageError) -> Draft {
    let indexCount = configuration.indexes.count
    precondition(
      record.indexKeys.count == (record.isDeletion ? 0 : indexCount),
      "a record has one key for each index, and a deletion has none")
    var previousKeys = record.previousIndexKeys
    var shard: Int?
    if record.isDeletion || (previousKeys == nil && indexCount > 0) {
      let current = source.state.withLock { $0.location(of: record.idKey) }
      if let current {
        if record.isDeletion { shard = partitions[current.shard.name.partition] }
        if previousKeys == nil { previousKeys = try keys(of: current) }
      } else {
        previousKeys = []
      }
    }
    let flags = SlotFlags(
      compression: record.compression, isDeletion: record.isDeletion,
      isSealed: codec.isSealing, isGroup: isGroup)
    let number: Int
    if let shard { number = shard } else { number = try shardNumber(record.shardKey) }
    return Draft(
      stamp: SlotStamp(sequence: 0, flags: flags), shard: number, previousKeys: previousKeys)
  }

  /// The index keys of a version on disk; `nil` if it does not read.
  func keys(of location: SharedState.Location) throws(StorageError) -> [[UInt8]?]? {
    if location.entry.isDeletion || configuration.indexes.isEmpty { return [] }
    guard let record = try source.read(location) else { return nil }
    return configuration.extractKeys(record.payload, record.layout)
  }

  private func version(
    _ record: RecordWrite, _ draft: Draft, _ entry: RecordEntry
  ) -> PlacedVersion {
    PlacedVersion(
      entry: entry, idKey: record.idKey, keys: record.indexKeys,
      previousKeys: draft.previousKeys)
  }

  /// Makes versions the current ones; new ones were written just now.
  func apply(_ versions: [PlacedVersion], isNew: Bool = false) {
    let dead: [DeadSlot]
    if versions.count == 1 {
      dead = source.state.withLock { state in
        if isNew { state.statistics.activity.noteWrites(versions) }
        return state.image.apply(versions)
      }
    } else {
      // Readers go on with the image before; what changes is copied.
      var image = self.image
      dead = image.apply(versions)
      source.state.withLock { state in
        if isNew { state.statistics.activity.noteWrites(versions) }
        state.image = image
      }
    }
    for version in versions {
      shardStates[version.entry.shard]?.liveSize += version.entry.slotSize
    }
    for slot in dead {
      shardStates[Int(slot.shard)]?.subtract(slot)
    }
    superseded += dead
    if let last = versions.last { nextSequence = max(nextSequence, last.entry.sequence + 1) }
  }
}

extension StoreActivity {
  fileprivate mutating func noteWrites(_ versions: [PlacedVersion]) {
    writes += UInt64(versions.count)
    for version in versions { writtenSize += version.entry.slotSize }
  }
}
