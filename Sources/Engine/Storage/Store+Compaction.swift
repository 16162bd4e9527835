import Synchronization

/// Giving back the space of slots that nothing needs.
extension Store {
  /// Bytes of live slots that one compaction moves, so that not too much lies on the disk twice.
  private static let compactionSizeLimit: UInt64 = 1 << 30

  /// Table entries that change under one hold of the lock.
  private static let moveCountPerLock = 4_096

  /// Starts to move what is live out of shards with at least this share of garbage.
  ///
  /// - Returns: Whether there are any.
  package func beginCompaction(minimumGarbage: Double = 0) throws(StorageError) -> Bool {
    try checkWritable()
    try loadAll()
    abandonCompaction()
    removeZombies()
    var chosen: [ShardState] = []
    var size: UInt64 = 0
    for case let state? in shardStates {
      let isWorthIt =
        state.garbage > 0 && Double(state.garbage) >= minimumGarbage * Double(state.length)
      guard isWorthIt, chosen.isEmpty || size + state.liveSize <= Self.compactionSizeLimit else {
        continue
      }
      chosen.append(state)
      size += state.liveSize
    }
    guard !chosen.isEmpty else { return false }
    try begin(chosen.map(\.shard))
    NyaruLogger.log(
      .info,
      "compaction of \(chosen.count) shards of \(directory.path) begins: "
        + "\(size) bytes are to be kept, \(chosen.reduce(0) { $0 + $1.garbage }) given back")
    return true
  }

  private func begin(_ shards: [Shard]) throws(StorageError) {
    var parts: [Compaction.Part] = []
    do throws(StorageError) {
      for shard in shards {
        let (new, file) = try createFile(shard.name.partition, isCompacted: true)
        parts.append(Compaction.Part(old: shard, new: new, file: file))
      }
    } catch {
      discard(parts)
      throw error
    }
    let snapshot = reader.snapshot()
    var targets: [Int: [SlotScan.Target]] = [:]
    let numbers = Set(shards.map(\.number))
    snapshot.image.table.forEach { handle, entry in
      if numbers.contains(entry.shard) {
        targets[entry.shard, default: []].append(
          SlotScan.Target(entry: entry, handle: handle, index: 0))
      }
      return true
    }
    compaction = Compaction(
      snapshot: snapshot, parts: parts,
      pending: shards.map { shard in
        (targets[shard.number] ?? []).sorted { $0.entry.offset < $1.entry.offset }
      })
  }

  /// Copies a few megabytes; writes may happen between steps. The last step ends it.
  ///
  /// - Returns: Whether the compaction is finished.
  package func stepCompaction() throws(StorageError) -> Bool {
    try checkWritable()
    if compaction?.isCopied == true {
      try finishCompaction()
      return true
    }
    guard var job = compaction else { return true }
    let (part, first) = job.next
    let targets = job.pending[part]
    let end = SlotScan.windowEnd(targets, from: first)
    do throws(StorageError) {
      try copy(targets[first..<end], into: &job.parts[part])
    } catch {
      // Nothing depends on the new files, so the store goes on without them.
      abandonCompaction()
      throw error
    }
    job.next = end < targets.count ? (part, end) : (part + 1, 0)
    compaction = job
    return false
  }

  private func copy(
    _ targets: ArraySlice<SlotScan.Target>, into part: inout Compaction.Part
  ) throws(StorageError) {
    guard !targets.isEmpty else { return }
    let file = try source.file(of: part.old)
    do { try part.copy(targets, from: file) } catch { throw .io(error) }
  }

  /// Gives the space of all garbage back.
  package func compact() throws(StorageError) {
    // What one compaction leaves has no garbage, so each shard comes up once.
    for _ in 0..<RecordEntry.shardLimit {
      guard try beginCompaction() else { return }
      while try !stepCompaction() {}
    }
  }

  /// Forgets a compaction that is not finished.
  func abandonCompaction() {
    guard let job = compaction else { return }
    compaction = nil
    discard(job.parts)
  }

  private func discard(_ parts: [Compaction.Part]) {
    for part in parts {
      // A name that stays has no header behind it; the next open removes it.
      do { try shardDirectory.unlink(part.new.fileName) } catch { continue }
      freeNumbers.append(part.new.number)
    }
  }
}

/// The end of a compaction, during which nothing else happens.
extension Store {
  private func finishCompaction() throws(StorageError) {
    guard var job = compaction else { return }
    try takeOverSync()
    var deadCopies: [DeadSlot] = []
    do throws(StorageError) {
      for index in job.parts.indices {
        deadCopies += try settle(&job.parts[index])
      }
    } catch {
      abandonCompaction()
      throw error
    }
    compaction = nil
    try poisoning { () throws(IOError) in
      for part in job.parts {
        // Until the head names the new file, recovery reads the old one.
        if let file = dirty.removeValue(forKey: part.old.number) { try file.sync() }
        let header = ShardHeader(
          fileID: part.new.name.fileID, collectionID: configuration.collectionID,
          born: generation + 1, replaces: part.old.name.fileID)
        try part.file.write(header.encode().span, at: 0)
        try part.file.sync()
      }
    }
    hasFreshNames = true
    let movedSize = job.parts.reduce(0) { $0 + $1.length }
    let replacedSize = job.parts.reduce(0) { $0 + (shardStates[$1.old.number]?.length ?? 0) }
    let firstPin = source.state.withLock { $0.pins.lastID } + 1
    for part in job.parts { switchOver(part, firstPin: firstPin) }
    let lastPin = source.state.withLock { $0.pins.lastID }
    for part in job.parts {
      let first = shardStates[part.old.number]?.firstPin ?? 0
      zombies.append(ReplacedShard(shard: part.old, pins: first...max(first, lastPin)))
    }
    forget(Set(job.parts.map(\.old.number)))
    superseded += deadCopies
    job.snapshot = nil
    try checkpointAfterCompaction()
    source.state.withLock { state in
      state.statistics.activity.compactions += 1
      state.statistics.activity.movedSize += movedSize
      state.statistics.activity.reclaimedSize += replacedSize - min(replacedSize, movedSize)
    }
    NyaruLogger.log(
      .info,
      "compaction of \(directory.path) ended: \(replacedSize) bytes became \(movedSize)")
  }

  private func checkpointAfterCompaction() throws(StorageError) {
    let waiting = zombies
    zombies = []
    do throws(StorageError) { try checkpoint() } catch {
      zombies = waiting
      throw error
    }
    zombies = waiting
    removeZombies()
  }

  /// Copies what was written meanwhile, retires the copies of what was replaced meanwhile, and
  /// syncs the file, which has no header yet.
  private func settle(_ part: inout Compaction.Part) throws(StorageError) -> [DeadSlot] {
    let image = self.image
    var dead: [DeadSlot] = []
    part.moves.removeAll { move in
      if image.entry(move.handle) == move.old { return false }
      // Snapshots that see the version see it in the old file.
      dead.append(DeadSlot(move.new, died: move.new.sequence))
      return true
    }
    let moved = Set(part.moves.map(\.handle))
    var late: [SlotScan.Target] = []
    let number = part.old.number
    image.table.forEach { handle, entry in
      if entry.shard == number, !moved.contains(handle) {
        late.append(SlotScan.Target(entry: entry, handle: handle, index: 0))
      }
      return true
    }
    late.sort { $0.entry.offset < $1.entry.offset }
    var first = 0
    while first < late.count {
      let end = SlotScan.windowEnd(late, from: first)
      try copy(late[first..<end], into: &part)
      first = end
    }
    do throws(IOError) {
      for slot in dead {
        let flags = [try part.file.flags(at: slot.offset) | SlotFlags.retiredBit]
        try part.file.write(flags.span, at: slot.offset + UInt64(SlotHeader.flagsOffset))
      }
      try part.file.sync()
    } catch {
      throw .io(error)
    }
    return dead
  }

  /// Lets the table name the new places, for snapshots from the given one on.
  private func switchOver(_ part: Compaction.Part, firstPin: UInt64) {
    var state = ShardState(shard: part.new, length: part.length)
    state.firstPin = firstPin
    for move in part.moves { state.liveSize += move.new.slotSize }
    adopt(state)
    source.state.withLock { $0.files.insert(part.file, part.new.number) }
    partitions[part.new.name.partition] = part.new.number
    shardNumbers = ShardNumbers()
    for first in stride(from: 0, to: part.moves.count, by: Self.moveCountPerLock) {
      let moves = part.moves[first..<min(part.moves.count, first + Self.moveCountPerLock)]
      source.state.withLock { state in
        for move in moves {
          state.image.liveSize += move.new.slotSize
          state.image.liveSize -= min(state.image.liveSize, move.old.slotSize)
          state.image.table[move.handle] = move.new
        }
      }
    }
  }

  /// Drops what the writer knows of replaced shards.
  private func forget(_ numbers: Set<Int>) {
    for number in numbers { shardStates[number] = nil }
    free = free.removing(shards: numbers)
    superseded.removeAll { numbers.contains(Int($0.shard)) }
    pinned.removeAll { numbers.contains(Int($0.shard)) }
    let size = shardStates.reduce(0) { $0 + ($1?.length ?? 0) }
    source.state.withLock { $0.statistics.size = size }
  }
}

extension File {
  /// The flags of the slot at the offset.
  fileprivate func flags(at offset: UInt64) throws(IOError) -> UInt8 {
    try read(1, at: offset + UInt64(SlotHeader.flagsOffset)).first ?? 0
  }
}
