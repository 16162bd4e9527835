import Synchronization

/// Putting records into slots.
extension Store {
  /// Where a record of a commit goes, and what its slot's header says.
  struct Draft: Sendable {
    var stamp: SlotStamp
    var shard: Int

    /// The keys of the version before, `nil` if they cannot be known.
    var previousKeys: [[UInt8]?]?
  }

  /// A single record: into a free slot of its size if there is one, else to the shard's end.
  func writeOne(_ record: RecordWrite, _ draft: Draft) throws(StorageError) -> RecordEntry {
    let need = SlotHeader.capacity(for: codec.storedSize(of: record))
    let file = try writableFile(draft.shard)
    let reused = try takeFreeSlot(shard: draft.shard, capacity: need, file: file)
    guard let state = shardStates[draft.shard] else { throw .closed }
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    defer { swap(&bytes, &buffer) }
    bytes.removeAll(keepingCapacity: true)
    let nonce = RandomBytes.next(codec.isSealing ? XAES256GCM.nonceSize : 0)
    let slot = SlotWriter.Slot(
      offset: reused?.offset ?? state.length, capacity: reused.map { Int($0.capacity) } ?? need)
    let entry = try SlotWriter(codec: codec, shard: state.shard).append(
      record, draft.stamp, slot, nonce: nonce.span, to: &bytes)
    // A slot that is used again keeps what lies behind the payload.
    if reused != nil { bytes.removeLast(bytes.count - SlotHeader.size - entry.payloadLength) }
    try poisoning { () throws(IOError) in try file.write(bytes.span, at: slot.offset) }
    if reused == nil {
      advance(draft.shard, by: UInt64(bytes.count))
    } else {
      reusedSize += UInt64(bytes.count)
    }
    if bytes.capacity > StorageLimits.scanWindowSize { bytes = [] }
    return entry
  }

  /// A batch: to the ends of its shards, with a few writes for each, encoded on all cores.
  func writeAll(
    _ records: [RecordWrite], _ drafts: [Draft]
  ) throws(StorageError) -> [RecordEntry] {
    var shares: [Int: [Int]] = [:]
    for index in drafts.indices { shares[drafts[index].shard, default: []].append(index) }
    let nonces = RandomBytes.next(codec.isSealing ? drafts.count * XAES256GCM.nonceSize : 0)
    var entries = [RecordEntry?](repeating: nil, count: records.count)
    for (shard, share) in shares.sorted(by: { $0.key < $1.key }) {
      guard let state = shardStates[shard] else { throw .closed }
      let writer = SlotWriter(codec: codec, shard: state.shard)
      let slots = writer.slots(for: records, share, from: state.length)
      let parts = try Spread.parts(of: share.indices) { (part) throws(StorageError) in
        try writer.encode(records, drafts, share, slots, part, nonces: nonces)
      }
      let file = try writableFile(shard)
      var offset = state.length
      for part in parts {
        try poisoning { () throws(IOError) in try file.write(part.bytes.span, at: offset) }
        offset += UInt64(part.bytes.count)
        for (index, entry) in part.entries { entries[index] = entry }
      }
      advance(shard, by: offset - state.length)
    }
    return entries.compactMap(\.self)
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
}
