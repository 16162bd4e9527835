import Synchronization

/// From what lies on the disk to a store.
extension StoreOpening {
  func openShards(_ names: [String]) throws(IOError) -> any Directory {
    if names.contains(Self.shardsName) { return try directory.openDirectory(Self.shardsName) }
    let shards = try directory.createDirectory(Self.shardsName)
    try directory.sync()
    return shards
  }

  /// The newest valid checkpoint, from the generation on that the head names.
  func loadCheckpoint(
    _ names: [String], ignoring ignored: Set<UInt64>, into survey: inout StoreSurvey
  ) throws(IOError) {
    let floor = survey.generation
    let generations = names.compactMap { Checkpoint.generation($0) }.filter { $0 >= floor }
    for generation in generations.sorted(by: >) {
      let name = Checkpoint.fileName(generation)
      let file = try directory.openFile(name)
      do throws(CheckpointFailure) {
        if ignored.contains(generation) { throw .format(.checksumMismatch) }
        survey.checkpoint = try CheckpointReader.open(
          file, generation: generation, codec: survey.codec,
          collectionID: configuration.collectionID)
        survey.generation = generation
        return
      } catch {
        if case .io(let cause) = error { throw cause }
        // A newer one than the head names may be one that was being written.
        if generation == floor {
          survey.note(DamagedPlace(file: name, offset: 0, what: "the checkpoint does not read"))
        }
      }
    }
    if survey.contents.cell == nil { survey.generation = generations.max() ?? 0 }
  }

  /// A collection that has nothing yet. A crash in here leaves nothing yet, again.
  func create(
    _ head: Head, _ names: [String], _ shardDirectory: any Directory
  ) throws(IOError) -> Store {
    for name in names where Checkpoint.generation(name) != nil { try directory.unlink(name) }
    var image = StoreImage(indexCount: configuration.indexes.count)
    image.lastSequence = configuration.sequenceFloor
    let store = Store(
      directory: directory, shardDirectory: shardDirectory, head: head,
      configuration: configuration, image: image)
    try directory.sync()
    try store.checkpointWhileOpening()
    store.openReport.kind = .created
    return store
  }

  func makeStore(
    _ survey: StoreSurvey, _ head: Head, _ shardDirectory: any Directory
  ) throws(IOError) -> Outcome {
    let store = Store(
      directory: directory, shardDirectory: shardDirectory, head: head,
      configuration: configuration, image: startImage(survey))
    store.openReport = survey.report
    store.adopt(survey)
    // Where nothing is to be decided, the image takes the tail in when somebody needs it.
    if !survey.isClean, !survey.isComplete { store.settle() }
    guard store.isReadable(needsAll: !survey.isClean && !survey.isComplete) else {
      return .unreadable(survey.generation)
    }
    if survey.isClean {
      store.openReport.kind = .clean
      store.continueCleanly(survey)
    } else {
      store.openReport.kind = survey.checkpoint == nil ? .walked : .recovered
      do throws(IOError) {
        if survey.isComplete { try store.resume(survey) } else { try store.repair(survey) }
      } catch  where error.isOutOfSpace {
        // What is there can be read at least; a later opening repairs it.
        store.poison = error
      }
    }
    try store.buildMissingIndexes(survey)
    return .opened(store)
  }

  /// What the checkpoint says, with the indexes in the order of the configuration.
  private func startImage(_ survey: StoreSurvey) -> StoreImage {
    guard let checkpoint = survey.checkpoint else {
      return StoreImage(indexCount: configuration.indexes.count)
    }
    var image = checkpoint.image
    image.indexes = configuration.indexes.map { definition in
      checkpoint.indexes.firstIndex(of: definition).map { checkpoint.image.indexes[$0] }
        ?? OrderedIndex()
    }
    return image
  }
}

extension Store {
  /// Whether the checkpoint reads, as far as it was touched, or all of it.
  fileprivate func isReadable(needsAll: Bool) -> Bool {
    var image = source.state.withLock { $0.image }
    guard let origin = image.origin else { return true }
    if needsAll {
      image.loadAll()
      source.state.withLock { $0.image = image }
    }
    return origin.failure == nil
  }

  /// Takes over the shards, the free slots and the versions that count.
  fileprivate func adopt(_ survey: StoreSurvey) {
    generation = survey.generation
    durableSequence = survey.durable
    checkpointStart = survey.checkpointStart
    for surveyed in survey.shards {
      let size = max(surveyed.size, UInt64(ShardHeader.size))
      var state = ShardState(shard: surveyed.shard, length: SlotHeader.aligned(size))
      state.liveSize = surveyed.liveSize
      adopt(state)
      partitions[surveyed.shard.name.partition] = surveyed.shard.number
      appendedSize += size - min(size, surveyed.knownLength)
    }
    freeNumbers = shardStates.indices.filter { shardStates[$0] == nil }
    let size = shardStates.reduce(0) { $0 + ($1?.length ?? 0) }
    free = survey.free
    superseded = survey.retireAgain.map { DeadSlot($0, died: survey.start) }
    source.state.withLock { state in
      state.statistics.size = size
      state.durableSequence = survey.durable
      state.image.markerFloor = max(
        state.image.markerFloor, survey.contents.cell?.markerFloor ?? 0)
    }
    adoptTail(survey)
    nextSequence = max(nextSequence, configuration.sequenceFloor + 1)
  }

  private func adoptTail(_ survey: StoreSurvey) {
    let counted = survey.counted
    guard let last = counted.last else { return }
    nextSequence = max(nextSequence, last.stamp.sequence + 1)
    let tail = RecoveredTail(counted, hasKeys: survey.hasKeys, configuration: configuration)
    self.tail = tail
    source.state.withLock { $0.tail = tail }
  }

  /// Takes into the image what was found behind the checkpoint.
  ///
  /// If a part of the checkpoint does not read, all stays as it is; then ``rebuild()`` is next.
  func settle() {
    guard let tail, source.settle(), let merged = tail.merged else { return }
    self.tail = nil
    for slot in tail.newest { shardStates[slot.shard]?.liveSize += slot.entry.slotSize }
    for slot in merged.dead { shardStates[Int(slot.shard)]?.subtract(slot) }
    superseded += merged.dead
  }

  /// Builds the indexes that the checkpoint does not have.
  fileprivate func buildMissingIndexes(_ survey: StoreSurvey) throws(IOError) {
    guard let checkpoint = survey.checkpoint else { return }
    let known = checkpoint.indexes
    let missing = configuration.indexes.indices.filter {
      !known.contains(configuration.indexes[$0])
    }
    guard known != configuration.indexes else { return }
    isCheckpointStale = true
    do throws(StorageError) {
      try loadAll()
      var image = self.image
      try build(missing, configuration.extractKeys, in: &image)
      source.state.withLock { $0.image = image }
    } catch {
      throw error.cause
    }
  }

  /// The last owner closed the store: there is nothing to repair, and nothing to write.
  fileprivate func continueCleanly(_ survey: StoreSurvey) {
    // What a snapshot had kept at the end. If a name stays, the next open finds it again.
    for name in survey.deadFiles {
      do { try shardDirectory.unlink(name.fileName) } catch { continue }
    }
    goOn(from: survey.durable + 1)
  }

  /// The next write takes this sequence, or a higher one that is known to be next.
  private func goOn(from sequence: UInt64) {
    nextSequence = max(nextSequence, sequence)
    let last = nextSequence - 1
    source.state.withLock { $0.image.lastSequence = last }
  }

  /// The last owner was killed between two writes: what it wrote is made durable, and that is all.
  ///
  /// It is written again first, since a sync of that owner may have failed.
  fileprivate func resume(_ survey: StoreSurvey) throws(IOError) {
    try head.settle()
    goOn(from: survey.run.end)
    checkpointStart = 0
    do throws(StorageError) {
      try rewriteTail(survey)
      hasFreshNames = true
      try sync()
      try poisoning { () throws(IOError) in try writeHead(sync: true) }
    } catch {
      throw error.cause
    }
  }

  /// Writes down what was decided; ends with a checkpoint. A crash in here changes nothing.
  fileprivate func repair(_ survey: StoreSurvey) throws(IOError) {
    if survey.report.lostState { try configuration.willForget() }
    quarantine(survey)
    // The next attempt must see the cell that this one goes by.
    try head.settle()
    // What no checkpoint names goes first: once the next one counts, a walk would take it.
    try unlink(survey.deadFiles.filter { !survey.replacedFiles.contains($0) })
    do throws(StorageError) {
      for slot in survey.found where !slot.isRetired {
        if slot.stamp.sequence >= survey.run.end || !slot.isIntact { try markRetired(slot) }
      }
      for (number, ranges) in survey.debris { try clear(ranges, of: number) }
      try rewriteTail(survey)
    } catch {
      throw error.cause
    }
    let highest = survey.found.map(\.stamp.sequence).max() ?? 0
    goOn(
      from: max(
        survey.reserved + survey.skip + 1, survey.run.end,
        survey.contents.cell == nil ? highest + survey.skip + 1 : 0))
    checkpointStart = 0
    hasFreshNames = true
    try checkpointWhileOpening()
    // The checkpoint that names their successors may lie in a cache only, so until now these
    // files were needed.
    try unlink(survey.deadFiles.filter { survey.replacedFiles.contains($0) })
  }

  private func unlink(_ names: [ShardName]) throws(IOError) {
    for name in names { try shardDirectory.unlink(name.fileName) }
  }

  fileprivate func checkpointWhileOpening() throws(IOError) {
    do throws(StorageError) { try checkpoint() } catch { throw error.cause }
  }

  private func markRetired(_ slot: FoundSlot) throws(StorageError) {
    let file = try writableFile(slot.shard)
    let flags = [slot.stamp.flags.rawValue | SlotFlags.retiredBit]
    try poisoning { () throws(IOError) in
      try file.write(flags.span, at: slot.offset + UInt64(SlotHeader.flagsOffset))
    }
  }

  /// Overwrites what torn writes have left, lest a later walk take it for damage.
  private func clear(_ ranges: [Range<UInt64>], of number: Int) throws(StorageError) {
    let file = try writableFile(number)
    for range in ranges {
      let zeros = [UInt8](repeating: 0, count: range.count)
      try poisoning { () throws(IOError) in try file.write(zeros.span, at: range.lowerBound) }
    }
  }

  /// Bytes that are written again at once: what a cache near the core holds.
  private static let rewriteWindowSize = 256 << 10

  /// Writes again what was written since the checkpoint.
  ///
  /// After a failed fsync the cache shows bytes that no disk has, and calls them clean.
  private func rewriteTail(_ survey: StoreSurvey) throws(StorageError) {
    for surveyed in survey.shards { try rewriteTail(of: surveyed) }
    for slot in survey.found where slot.isReused { try rewrite(slot) }
  }

  private func rewriteTail(of surveyed: StoreSurvey.SurveyedShard) throws(StorageError) {
    let number = surveyed.shard.number
    if surveyed.size > surveyed.knownLength {
      try rewrite(number, surveyed.knownLength..<surveyed.size)
    }
    guard !surveyed.hasHeader else { return }
    let file = try writableFile(number)
    let header = ShardHeader(
      fileID: surveyed.shard.name.fileID, collectionID: configuration.collectionID,
      born: generation)
    try poisoning { () throws(IOError) in try file.write(header.encode().span, at: 0) }
  }

  private func rewrite(_ slot: FoundSlot) throws(StorageError) {
    try rewrite(slot.shard, slot.offset..<slot.offset + slot.header.slotSize)
  }

  private func rewrite(_ number: Int, _ range: Range<UInt64>) throws(StorageError) {
    let file = try writableFile(number)
    let windowSize = min(range.upperBound - range.lowerBound, UInt64(Self.rewriteWindowSize))
    var bytes = [UInt8](repeating: 0, count: Int(windowSize))
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(range.upperBound - offset, windowSize))
      bytes.removeLast(bytes.count - count)
      try poisoning { () throws(IOError) in
        let filled = try Self.read(from: file, at: offset, into: &bytes)
        try file.write(bytes.span.extracting(0..<filled), at: offset)
      }
      offset += UInt64(count)
    }
  }

  private static func read(
    from file: any File, at offset: UInt64, into bytes: inout [UInt8]
  ) throws(IOError) -> Int {
    var span = bytes.mutableSpan
    return try file.read(into: &span, at: offset)
  }
}

/// Keeping bytes that did not read.
extension Store {
  private static let quarantineSizeLimit: UInt64 = 64 << 20
  private static let quarantineCountLimit = 256

  /// Copies damaged slots aside, before compaction drops them.
  ///
  /// It is a courtesy: that it fails does not keep the collection closed.
  private func quarantine(_ survey: StoreSurvey) {
    var places: [(fileName: String, offset: UInt64, size: UInt64)] = []
    for place in survey.report.damaged.prefix(Self.quarantineCountLimit) {
      guard let shard = survey.shards.first(where: { $0.shard.fileName == place.file }) else {
        continue
      }
      let size = min(shard.size - min(shard.size, place.offset), 1 << 20)
      if size > 0 { places.append((place.file, place.offset, size)) }
    }
    guard !places.isEmpty else { return }
    do throws(IOError) {
      let quarantine = try openQuarantine()
      var size: UInt64 = 0
      for place in places where size + place.size <= Self.quarantineSizeLimit {
        let name = place.fileName + "." + String(place.offset, radix: 16)
        let source = try shardDirectory.openFile(place.fileName)
        let bytes = try source.read(Int(place.size), at: place.offset)
        try quarantine.replaceFile(name, with: bytes)
        openReport.quarantined.append(name)
        size += place.size
      }
    } catch {
      openReport.damaged.append(
        DamagedPlace(
          file: StoreOpening.quarantineName, offset: 0, what: "not kept: \(error)"))
    }
  }

  private func openQuarantine() throws(IOError) -> any Directory {
    do throws(IOError) {
      return try directory.openDirectory(StoreOpening.quarantineName)
    } catch  where error.isMissing {
      return try directory.createDirectory(StoreOpening.quarantineName)
    }
  }
}

extension StorageError {
  /// The system call behind the error.
  fileprivate var cause: IOError {
    switch self {
    case .io(let error), .poisoned(let error): error
    default: IOError("open", path: "\(self)", code: 0)
    }
  }
}
