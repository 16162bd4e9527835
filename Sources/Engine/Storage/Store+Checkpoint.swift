import Synchronization

/// Writing down the state, and retiring what it no longer needs.
extension Store {
  /// What becomes of the slots that were replaced.
  private struct Retirement {
    /// To be retired as soon as the checkpoint counts.
    var retire: [FreeSlot] = []

    /// Retired slots that a snapshot needs until it goes; free after a crash.
    var held: [FreeSlot] = []

    /// Still pinned after this checkpoint.
    var pinned: [DeadSlot] = []

    /// Free afterwards.
    var free = FreeSlots()
  }

  /// Writes down the state, so that the next open need not read the slots.
  ///
  /// Everything is made durable first. Once the head names the checkpoint, the slots that were
  /// replaced before are retired, and then they are free.
  package func checkpoint() throws(StorageError) {
    try checkWritable()
    try loadAll()
    try syncEverything()
    removeZombies()
    let collected = collectMarkers()
    let plan = retirement(collected)
    generation += 1
    let checkpoint = makeCheckpoint(plan)
    try poisoning { () throws(IOError) in
      try directory.unlinkIfPresent(Checkpoint.fileName(generation))
    }
    let size = try write(checkpoint)
    try poisoning { () throws(IOError) in try writeHead(sync: true) }
    checkpointStart = nextSequence
    appendedSize = 0
    reusedSize = 0
    isCheckpointStale = false
    superseded = []
    try retire(plan.retire)
    pinned = plan.pinned
    free = plan.free
    try poisoning { () throws(IOError) in
      try removeCheckpoints(except: generation)
      try writeHead(sync: false) { $0.hasRetired = true }
    }
    let free = free
    source.state.withLock { state in
      state.noteFree(free)
      state.statistics.activity.checkpoints += 1
      state.statistics.activity.checkpointSize += size
    }
    NyaruLogger.log(
      .debug,
      "checkpoint \(generation) of \(directory.path): \(size) bytes, "
        + "\(plan.retire.count) slots retired")
  }

  /// Syncs what is dirty; a sync in flight counts with how it ended.
  private func syncEverything() throws(StorageError) {
    try takeOverSync()
    try poisoning { () throws(IOError) in
      for file in dirtyFiles { try file.sync() }
      if hasFreshNames { try shardDirectory.sync() }
    }
    dirty = [:]
    hasFreshNames = false
    noteDurable(nextSequence - 1)
  }

  /// Forgets deletions, if the collection may, whose predecessors are retired by now.
  private func collectMarkers() -> [DeadSlot] {
    guard !keepsDeletionMarkers, checkpointStart > 0 else { return [] }
    let (start, died) = (checkpointStart, nextSequence)
    var image = self.image
    let collected = image.collectMarkers(below: start, died: died)
    guard !collected.isEmpty else { return [] }
    source.state.withLock { $0.image = image }
    for slot in collected { shardStates[Int(slot.shard)]?.subtract(slot) }
    return collected
  }

  private func retirement(_ collected: [DeadSlot]) -> Retirement {
    let pins = source.state.withLock { $0.pins }
    let retired = superseded + collected
    var plan = Retirement()
    plan.retire = retired.map(\.slot)
    plan.pinned = (pinned + retired).filter { pins.contains($0) }
    plan.held = pinned.filter { pins.contains($0) }.map(\.slot)
    let ready = (pinned + retired).filter { !pins.contains($0) }.map(\.slot)
    plan.free = FreeSlots.choosing(from: free.all + ready)
    return plan
  }

  private func makeCheckpoint(_ plan: Retirement) -> Checkpoint {
    var shards: [CheckpointDirectory.ShardEntry] = []
    for case let state? in shardStates {
      shards.append(
        CheckpointDirectory.ShardEntry(
          partition: state.shard.name.partition, fileID: state.shard.name.fileID,
          number: state.shard.number, length: state.length, liveSize: state.liveSize))
    }
    let retiring = Set(plan.retire.map(\.location))
    return Checkpoint(
      generation: generation, image: image, nextSequence: nextSequence,
      indexes: configuration.indexes, shards: shards, activeFree: plan.free.activeSlots,
      free: LazyPart(
        plan.free.inactive.filter { !retiring.contains($0.location) } + plan.held),
      retire: LazyPart(plan.retire))
  }

  /// - Returns: The bytes of the file.
  private func write(_ checkpoint: Checkpoint) throws(StorageError) -> UInt64 {
    let file: any File
    do {
      file = try directory.createFile(Checkpoint.fileName(checkpoint.generation))
    } catch {
      poison = error
      throw .io(error)
    }
    do throws(StorageError) {
      try CheckpointWriter.write(
        checkpoint, into: file, codec: codec, collectionID: configuration.collectionID)
    } catch {
      if case .io(let cause) = error { poison = cause }
      throw error
    }
    return try poisoning { () throws(IOError) in
      try file.sync()
      try directory.sync()
      return try file.size()
    }
  }

  func removeCheckpoints(except generation: UInt64) throws(IOError) {
    for name in try directory.names() {
      guard let other = Checkpoint.generation(name), other != generation else { continue }
      try directory.unlink(name)
    }
  }
}

/// Setting the retired bit.
extension Store {
  /// Retires the slots, and returns when that is durable.
  ///
  /// Slots that lie close together share a read and a write. Only the flag bytes change, so a
  /// write that is torn leaves every slot as it was or retired.
  func retire(_ slots: [FreeSlot]) throws(StorageError) {
    let slots = slots.sorted { $0.location < $1.location }
    var first = 0
    while first < slots.count {
      let number = Int(slots[first].shard)
      var end = first
      while end < slots.count, Int(slots[end].shard) == number { end += 1 }
      if let shard = shardStates[number]?.shard {
        try retire(slots[first..<end], of: shard)
      }
      first = end
    }
  }

  private func retire(
    _ slots: ArraySlice<FreeSlot>, of shard: Shard
  ) throws(StorageError) {
    let file: any File
    do throws(StorageError) {
      file = try source.file(of: shard)
    } catch {
      // The checkpoint says that these slots go, and the next one will not say it again.
      if case .io(let cause) = error { poison = cause }
      throw error
    }
    let windowSize = UInt64(StorageLimits.retireWindowSize)
    var first = slots.startIndex
    while first < slots.endIndex {
      var end = first + 1
      while end < slots.endIndex, slots[end].offset + 32 - slots[first].offset <= windowSize {
        end += 1
      }
      try poisoning { () throws(IOError) in
        try Self.retire(slots[first..<end], of: shard, file)
      }
      first = end
    }
    try poisoning { () throws(IOError) in try file.sync() }
  }

  /// Retires slots within one window: from the first flag byte to the last.
  private static func retire(
    _ slots: ArraySlice<FreeSlot>, of shard: Shard, _ file: any File
  ) throws(IOError) {
    guard let first = slots.first, let last = slots.last else { return }
    let size = Int(last.offset - first.offset) + SlotHeader.size
    var bytes = try file.read(size, at: first.offset)
    for slot in slots {
      let start = Int(slot.offset - first.offset)
      guard start + SlotHeader.size <= bytes.count else { continue }
      let header = SlotHeader(
        bytes.span.extracting(start..<start + SlotHeader.size), at: shard.place(slot.offset))
      // What is not the slot that memory knows is left alone.
      guard let header, header.stamp.sequence == slot.sequence else { continue }
      bytes[start + SlotHeader.flagsOffset] |= SlotFlags.retiredBit
    }
    let range = SlotHeader.flagsOffset...size - SlotHeader.size + SlotHeader.flagsOffset
    guard range.upperBound < bytes.count else { return }
    try file.write(
      bytes.span.extracting(range), at: first.offset + UInt64(SlotHeader.flagsOffset))
  }
}

extension StoreImage {
  /// Takes out the deletion markers below a sequence.
  mutating func collectMarkers(below sequence: UInt64, died: UInt64) -> [DeadSlot] {
    guard table.count > liveCount else { return [] }
    var collected: [DeadSlot] = []
    var handles: [UInt32] = []
    table.forEach { handle, entry in
      guard entry.isDeletion, entry.sequence < sequence else { return true }
      collected.append(DeadSlot(entry, died: died))
      handles.append(handle)
      return true
    }
    forget(handles)
    return collected
  }

  /// Takes out deletion markers.
  ///
  /// - Complexity: O(*n*) in the number of records, if there are any markers.
  mutating func forget(_ markers: [UInt32]) {
    guard !markers.isEmpty else { return }
    var isForgotten = [Bool](repeating: false, count: table.handleLimit)
    for handle in markers { isForgotten[Int(handle)] = true }
    var (size, last): (UInt64, UInt64) = (0, 0)
    table.removeAll { handle, entry in
      guard isForgotten[Int(handle)] else { return false }
      size += entry.slotSize
      last = max(last, entry.sequence)
      return true
    }
    liveSize -= min(liveSize, size)
    markerFloor = max(markerFloor, last)
    ids.removeAll { isForgotten[Int($0)] }
    changes.sweep(table)
  }
}

extension DeadSlot {
  /// Bytes of the slot, header included.
  var size: UInt64 { UInt64(SlotHeader.size) + UInt64(capacity) }
}

extension FreeSlot {
  /// Shard and place as one number, in the order of the disk.
  var location: UInt64 { UInt64(shard) << 48 | offset / 32 }
}

extension Directory {
  /// Removes a name that may be missing.
  fileprivate func unlinkIfPresent(_ name: String) throws(IOError) {
    do throws(IOError) { try unlink(name) } catch  where error.isMissing {}
  }
}
