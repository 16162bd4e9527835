import Synchronization

/// Giving back the space of slots that nothing needs.
extension Store {
  /// Bytes of live slots that one compaction moves, so that not too much lies on the disk twice.
  private static let compactionSizeLimit: UInt64 = 1 << 30

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
    var job = Compaction(snapshot: snapshot, parts: parts)
    snapshot.image.table.forEach { handle, entry in
      // What may be forgotten in the end need not be copied before.
      if keepsDeletionMarkers || !entry.isDeletion { job.add(handle, entry) }
      return true
    }
    compaction = job
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
    guard var job = compaction.take() else { return true }
    do throws(StorageError) { try job.step(from: source) } catch {
      // Nothing depends on the new files, so the store goes on without them.
      discard(job.parts)
      throw error
    }
    compaction = job
    return false
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
    try takeOverSync()
    guard var job = compaction.take() else { return }
    let settled: Settled
    do throws(StorageError) { settled = try settle(&job) } catch {
      discard(job.parts)
      throw error
    }
    let parts = job.parts
    _ = consume job  // The checkpoint is to find no pin of this one.
    try poisoning { () throws(IOError) in
      for part in parts {
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
    let movedSize = parts.reduce(0) { $0 + $1.length }
    let replacedSize = parts.reduce(0) { $0 + (shardStates[$1.old.number]?.length ?? 0) }
    switchOver(parts, settled)
    forget(parts.map(\.old.number))
    superseded += settled.deadCopies
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

  /// What a compaction comes to.
  private struct Settled {
    /// What is to count, and the live bytes of each part.
    var image: StoreImage
    var liveSizes: [UInt64]

    /// Copies of what was replaced meanwhile.
    var deadCopies: [DeadSlot]
  }

  /// Copies what was written meanwhile, retires the copies of what was replaced meanwhile, and
  /// syncs the files, which have no headers yet. Beside that the image gets the new places, and
  /// loses the deletions that may be forgotten.
  private func settle(_ job: inout Compaction) throws(StorageError) -> Settled {
    let image = self.image
    let dead = job.removeDeadCopies(image)
    let limit = markerLimit(ShardSet(job.parts.map(\.old.number)))
    let forgettable = job.addRest(image.table, forgettingBelow: limit)
    while !job.isCopied { try job.step(from: source) }
    do throws(IOError) { try retire(dead, in: job.parts) } catch { throw .io(error) }
    let (_, settled) = try Spread.pair(
      { [parts = job.parts] () throws(StorageError) in
        do throws(IOError) { for part in parts { try part.file.sync() } } catch {
          throw .io(error)
        }
      },
      and: { [job] in
        var image = image
        image.forget(forgettable)
        let liveSizes = job.switchOver(&image)
        return Settled(image: image, liveSizes: liveSizes, deadCopies: dead)
      })
    return settled
  }

  private func retire(_ slots: [DeadSlot], in parts: [Compaction.Part]) throws(IOError) {
    let files = Dictionary(uniqueKeysWithValues: parts.map { ($0.new.number, $0.file) })
    for slot in slots {
      guard let file = files[Int(slot.shard)] else { continue }
      let flags = [try file.flags(at: slot.offset) | SlotFlags.retiredBit]
      try file.write(flags.span, at: slot.offset + UInt64(SlotHeader.flagsOffset))
    }
  }

  /// Deletions below the returned sequence may be forgotten where they lie in the shards.
  ///
  /// What they deleted is retired, or goes with these shards.
  private func markerLimit(_ numbers: ShardSet) -> UInt64 {
    if keepsDeletionMarkers { return 0 }
    return superseded.allSatisfy { numbers.contains(Int($0.shard)) } ? .max : checkpointStart
  }

  /// Lets everybody see the new places, and notes which snapshots see the old ones.
  private func switchOver(_ parts: [Compaction.Part], _ settled: Settled) {
    let firstPin = source.state.withLock { $0.pins.lastID } + 1
    for (part, liveSize) in zip(parts, settled.liveSizes) {
      var state = ShardState(shard: part.new, length: part.length)
      state.firstPin = firstPin
      state.liveSize = liveSize
      adopt(state)
      partitions[part.new.name.partition] = part.new.number
    }
    shardNumbers = ShardNumbers()
    let lastPin = source.state.withLock { state in
      for part in parts { state.files.insert(part.file, part.new.number) }
      state.image = settled.image
      return state.pins.lastID
    }
    for part in parts {
      let old = shardStates[part.old.number]
      let first = old?.firstPin ?? 0
      zombies.append(
        ReplacedShard(
          shard: part.old, pins: first...max(first, lastPin), size: old?.length ?? 0))
    }
  }

  /// Drops what the writer knows of replaced shards.
  private func forget(_ numbers: [Int]) {
    for number in numbers { shardStates[number] = nil }
    let replaced = ShardSet(numbers)
    free = free.removing(shards: replaced)
    superseded.removeAll { replaced.contains(Int($0.shard)) }
    pinned.removeAll { replaced.contains(Int($0.shard)) }
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
