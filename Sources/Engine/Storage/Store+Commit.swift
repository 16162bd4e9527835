import Synchronization

/// Writing records.
extension Store {
  /// A record on its way into a slot.
  private struct Draft {
    var record: RecordWrite
    var stamp: SlotStamp
    var shard: Int

    /// The keys of the version before, `nil` if they cannot be known.
    var previousKeys: [[UInt8]?]?
  }

  /// Slots that go to the end of one shard in one write.
  private struct Append {
    var start: UInt64
    var bytes: [UInt8] = []
  }

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
    let versions = drafts.count == 1 ? [try writeOne(drafts[0])] : try writeAll(drafts)
    apply(versions, isNew: true)
    return first
  }

  /// The drafts, once all that they touch in memory is there.
  private func drafts(
    of records: [RecordWrite], isGroup: Bool
  ) throws(StorageError) -> [Draft] {
    if !loadPlaces(of: records) { try rebuild() }
    let drafts = try makeDrafts(of: records, isGroup: isGroup)
    if loadPlaces(of: records, previousKeys: { drafts[$0].previousKeys }) { return drafts }
    try rebuild()
    return try makeDrafts(of: records, isGroup: isGroup)
  }

  private func makeDrafts(
    of records: [RecordWrite], isGroup: Bool
  ) throws(StorageError) -> [Draft] {
    var drafts: [Draft] = []
    drafts.reserveCapacity(records.count)
    for record in records { drafts.append(try draft(record, isGroup: isGroup)) }
    return drafts
  }

  private func checkLimits(_ records: [RecordWrite]) throws(StorageError) {
    guard records.count <= StorageLimits.batchCount else {
      throw .limit(name: "batchCount", limit: UInt64(StorageLimits.batchCount))
    }
    var size = 0
    for record in records {
      let payloadSize = record.prelude.count + record.bodySection.count + codec.overhead
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
      let current = source.state.withLock { state in
        state.image.entry(record.idKey.span).flatMap { state.location(of: $0) }
      }
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
      record: record, stamp: SlotStamp(sequence: 0, flags: flags), shard: number,
      previousKeys: previousKeys)
  }

  /// The index keys of a version on disk; `nil` if it does not read.
  func keys(of location: SharedState.Location) throws(StorageError) -> [[UInt8]?]? {
    if location.entry.isDeletion || configuration.indexes.isEmpty { return [] }
    guard let record = try source.read(location) else { return nil }
    return configuration.extractKeys(record.payload, record.layout)
  }

  /// A single record: into a free slot of its size if there is one, else to the shard's end.
  private func writeOne(_ draft: Draft) throws(StorageError) -> PlacedVersion {
    let record = draft.record
    let size = record.prelude.count + record.bodySection.count + codec.overhead
    let need = SlotHeader.capacity(for: size)
    let file = try writableFile(draft.shard)
    let reused = try takeFreeSlot(shard: draft.shard, capacity: need, file: file)
    guard let state = shardStates[draft.shard] else { throw .closed }
    let offset = reused?.offset ?? state.length
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    defer { swap(&bytes, &buffer) }
    bytes.removeAll(keepingCapacity: true)
    let nonce = RandomBytes.next(codec.isSealing ? XAES256GCM.nonceSize : 0)
    let capacity = reused.map { Int($0.capacity) } ?? need
    let entry = try encode(
      draft, at: offset, capacity: capacity, nonce: nonce.span, into: &bytes)
    // A slot that is used again keeps what lies behind the payload.
    if reused != nil { bytes.removeLast(bytes.count - SlotHeader.size - entry.payloadLength) }
    try poisoning { () throws(IOError) in try file.write(bytes.span, at: offset) }
    if reused == nil {
      advance(draft.shard, by: UInt64(bytes.count))
    } else {
      reusedSize += UInt64(bytes.count)
    }
    if bytes.capacity > StorageLimits.scanWindowSize { bytes = [] }
    return version(draft, entry)
  }

  /// A batch: to the ends of its shards, with one write for each.
  private func writeAll(_ drafts: [Draft]) throws(StorageError) -> [PlacedVersion] {
    var appends: [Int: Append] = [:]
    var versions: [PlacedVersion] = []
    versions.reserveCapacity(drafts.count)
    let nonceSize = codec.isSealing ? XAES256GCM.nonceSize : 0
    let nonces = RandomBytes.next(drafts.count * nonceSize)
    for (index, draft) in drafts.enumerated() {
      let nonce = nonces.span.extracting(index * nonceSize..<(index + 1) * nonceSize)
      guard let state = shardStates[draft.shard] else { throw .closed }
      var append = appends.removeValue(forKey: draft.shard) ?? Append(start: state.length)
      let offset = append.start + UInt64(append.bytes.count)
      let entry = try encode(
        draft, at: offset, capacity: nil, nonce: nonce, into: &append.bytes)
      appends[draft.shard] = append
      versions.append(version(draft, entry))
    }
    for (shard, append) in appends.sorted(by: { $0.key < $1.key }) {
      let file = try writableFile(shard)
      try poisoning { () throws(IOError) in
        try file.write(append.bytes.span, at: append.start)
      }
    }
    for (shard, append) in appends { advance(shard, by: UInt64(append.bytes.count)) }
    return versions
  }

  private func version(_ draft: Draft, _ entry: RecordEntry) -> PlacedVersion {
    PlacedVersion(
      entry: entry, idKey: draft.record.idKey, keys: draft.record.indexKeys,
      previousKeys: draft.previousKeys)
  }

  /// Appends the slot to the buffer, zeros behind its payload included.
  private func encode(
    _ draft: Draft, at offset: UInt64, capacity: Int?, nonce: Span<UInt8>,
    into bytes: inout [UInt8]
  ) throws(StorageError) -> RecordEntry {
    guard let shard = shardStates[draft.shard]?.shard else { throw .closed }
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: SlotHeader.size))
    try codec.store(
      draft.record.prelude, draft.record.bodySection, stamp: draft.stamp, nonce: nonce,
      into: &bytes)
    let payloadLength = bytes.count - start - SlotHeader.size
    let capacity = capacity ?? SlotHeader.capacity(for: payloadLength)
    let header = SlotHeader(
      capacity: UInt32(capacity), payloadLength: UInt32(payloadLength), stamp: draft.stamp)
    header.write(into: &bytes, at: start, place: shard.place(offset))
    bytes.append(contentsOf: repeatElement(0, count: capacity - payloadLength))
    return RecordEntry(
      sequence: draft.stamp.sequence, shard: draft.shard, offset: offset,
      capacity: header.capacity, payloadLength: payloadLength,
      flags: draft.stamp.flags.rawValue)
  }

  private func advance(_ shard: Int, by size: UInt64) {
    shardStates[shard]?.length += size
    appendedSize += size
    source.state.withLock { $0.statistics.size += size }
  }

  /// Takes an active free slot, if one fits and is still what memory says.
  private func takeFreeSlot(
    shard number: Int, capacity: Int, file: any File
  ) throws(StorageError) -> FreeSlot? {
    guard let slot = free.take(shard: number, capacity: capacity),
      let shard = shardStates[number]?.shard
    else { return nil }
    source.state.withLock { $0.statistics.freeSize -= min($0.statistics.freeSize, slot.size) }
    let bytes: [UInt8]
    do { bytes = try file.read(SlotHeader.size, at: slot.offset) } catch { throw .io(error) }
    guard let header = SlotHeader(bytes.span, at: shard.place(slot.offset)),
      header.stamp.flags.isRetired, header.capacity == slot.capacity,
      header.stamp.sequence == slot.sequence
    else { return nil }
    return slot
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
