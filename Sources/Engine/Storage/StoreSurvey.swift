/// What lies on the disk, read and judged before anything is written.
struct StoreSurvey {
  /// A shard that belongs to the collection.
  struct SurveyedShard {
    var shard: Shard
    var size: UInt64

    /// What the checkpoint knows of it: what lies behind was written later. 0 without one.
    var knownLength: UInt64
    var liveSize: UInt64

    /// Its header is what it should be.
    var hasHeader: Bool
  }

  let configuration: StoreConfiguration
  let shardDirectory: any Directory
  let codec: PayloadCodec
  let contents: Head.Contents

  var report = OpenReport()
  var checkpoint: Checkpoint?

  /// The generation that counts, or from which to go on.
  var generation: UInt64

  var shards: [SurveyedShard] = []
  var deadFiles: [ShardName] = []

  /// Those among the dead files that a compaction has replaced.
  var replacedFiles: Set<ShardName> = []
  var found: [FoundSlot] = []

  /// Whether the index keys of what was found are known, and not the ids alone.
  private(set) var hasKeys = true

  /// What torn writes have left by shard: no slot, and not damage.
  var debris: [Int: [Range<UInt64>]] = [:]

  /// Free slots that are still free, and slots whose retiring is not known to be durable.
  var free = FreeSlots()
  var retireAgain: [FreeSlot] = []

  var run = RecoveredRun(slots: [], start: 1, durable: 0, keepsGaps: false)

  init(
    configuration: StoreConfiguration, shardDirectory: any Directory, contents: Head.Contents
  ) {
    self.configuration = configuration
    self.shardDirectory = shardDirectory
    self.contents = contents
    codec = configuration.makeCodec()
    generation = contents.cell?.generation ?? 0
  }

  /// No checkpoint says that anything was ever written.
  var hasNothing: Bool {
    (checkpoint?.nextSequence ?? 0) <= configuration.sequenceFloor + 1
  }

  /// Everything up to here was durable, as far as anybody knows.
  var durable: UInt64 {
    max(contents.cell?.durable ?? 0, checkpoint.map { $0.nextSequence - 1 } ?? 0)
  }

  /// No sequence beyond this one was given out.
  ///
  /// If a cell of the head does not read, it may have been the newer one: it can have reserved
  /// no more than two reservations beyond this one, since a longer batch writes both.
  var reserved: UInt64 {
    let known = max(contents.cell?.reserved ?? 0, durable)
    return contents.isSound ? known : known + skip
  }

  /// Sequences that are skipped after a crash.
  var skip: UInt64 { 2 * configuration.reservation + 2 }

  /// The first sequence that the walk is to find.
  var start: UInt64 { checkpoint?.nextSequence ?? durable + 1 }

  /// The last owner closed the store, and what it left is known to the last byte.
  var isClosed: Bool {
    guard let cell = contents.cell, let checkpoint else { return false }
    return cell.isClosed && contents.isSound && checkpoint.generation == cell.generation
  }

  /// The slots that the checkpoint wanted retired are known to be.
  private var hasRetired: Bool {
    guard let cell = contents.cell, let checkpoint else { return false }
    return cell.hasRetired && checkpoint.generation == cell.generation
  }

  /// Nothing that is sealed opens, though it is whole: this is not the key.
  var isLockedOut: Bool {
    codec.isSealing && checkpoint == nil && found.contains(where: \.isShut)
      && !found.contains { $0.isIntact && !$0.isRetired }
  }

  /// The store can go on as it lies there.
  var isClean: Bool {
    isClosed && report.damaged.isEmpty && run.gaps.isEmpty
      && run.end == durable + 1 && shards.allSatisfy { $0.hasHeader && wasClosed($0) }
      && found.allSatisfy { $0.isIntact && $0.stamp.sequence < run.end }
  }

  /// The process was killed between two writes, and the kernel ran on: nothing is missing, and
  /// nothing too much. Then no sequence was given out that is not there, and the checkpoint that
  /// counts is still the right one.
  var isComplete: Bool {
    guard let cell = contents.cell, let checkpoint, contents.isSound, keepsGaps,
      checkpoint.generation == cell.generation
    else { return false }
    return report.damaged.isEmpty && !report.lostState && report.droppedVersions == 0
      && run.gaps.isEmpty && debris.isEmpty && deadFiles.isEmpty
      && shards.allSatisfy(\.hasHeader)
      && found.allSatisfy { $0.isIntact && !$0.isRetired && $0.stamp.sequence < run.end }
  }

  /// The shard was there when the store was closed, so its name is durable.
  ///
  /// One that has nothing yet may stem from a write that failed before it took back the mark.
  private func wasClosed(_ surveyed: SurveyedShard) -> Bool {
    surveyed.knownLength > 0 || found.contains { $0.shard == surveyed.shard.number }
  }

  /// The sequence from which on markers may be collected; 0 if nobody knows.
  var checkpointStart: UInt64 { hasRetired ? checkpoint?.nextSequence ?? 0 : 0 }

  /// Reads the shards.
  mutating func read(_ files: [ShardName]) throws(IOError) {
    if let checkpoint, isClosed, durable < checkpoint.nextSequence,
      try takeShards(from: checkpoint, files)
    {
      // Nothing was written behind the checkpoint: it says everything.
      takeFreeSlots(checkpoint, looked: checkpoint.activeFree)
      run = RecoveredRun(slots: [], start: start, durable: durable, keepsGaps: false)
      return
    }
    try choose(files)
    let chosen = self
    hasKeys = !mayStay
    try look()
    if !hasKeys, !isClean, !isComplete {
      self = chosen
      try look()
    }
  }

  /// Nothing may have to be decided but what is there, and then no keys are needed yet.
  private var mayStay: Bool {
    guard let cell = contents.cell, let checkpoint, contents.isSound else { return false }
    return checkpoint.generation == cell.generation && (cell.isClosed || keepsGaps)
  }

  private mutating func look() throws(IOError) {
    var walks = try walk()
    if let checkpoint { try lookAtFreeSlots(checkpoint, &walks) }
    let isAscending = found.indices.dropFirst().allSatisfy {
      found[$0 - 1].stamp.sequence <= found[$0].stamp.sequence
    }
    if !isAscending { found.sort { $0.stamp.sequence < $1.stamp.sequence } }
    judge(walks)
  }
}

/// Which shards there are.
extension StoreSurvey {
  /// Files that the checkpoint does not name are dead: nothing was written behind it.
  ///
  /// - Returns: Whether all files are there that it names, and as long.
  private mutating func takeShards(
    from checkpoint: Checkpoint, _ files: [ShardName]
  ) throws(IOError) -> Bool {
    let named = Set(checkpoint.shards.map(\.name))
    guard named.isSubset(of: files) else { return false }
    for entry in checkpoint.shards {
      let size = try shardDirectory.openFile(entry.name.fileName).size()
      guard SlotHeader.aligned(size) == entry.length else { return false }
    }
    deadFiles = files.filter { !named.contains($0) }
    shards = checkpoint.shards.map { entry in
      SurveyedShard(
        shard: Shard(number: entry.number, name: entry.name), size: entry.length,
        knownLength: entry.length, liveSize: entry.liveSize, hasHeader: true)
    }
    return true
  }

  private mutating func choose(_ files: [ShardName]) throws(IOError) {
    var candidates: [ShardChoice.Candidate] = []
    var sizes: [ShardName: UInt64] = [:]
    for name in files {
      let file = try shardDirectory.openFile(name.fileName)
      sizes[name] = try file.size()
      let bytes = try file.read(ShardHeader.size, at: 0)
      // A header that does not read is a finding of its own.
      var header = try? ShardHeader(bytes.span)
      if header?.fileID != name.fileID || header?.collectionID != configuration.collectionID {
        header = nil
      }
      candidates.append(ShardChoice.Candidate(name: name, header: header))
    }
    checkNamedShards(sizes)
    let choice: ShardChoice
    if let checkpoint {
      choice = ShardChoice(
        candidates, named: Set(checkpoint.shards.map(\.name)), generation: generation)
    } else {
      choice = ShardChoice(candidates, limit: contents.cell == nil ? .max : generation)
    }
    deadFiles = choice.dead
    replacedFiles = choice.replaced(candidates)
    let readable = Set(candidates.filter { $0.header != nil }.map(\.name))
    number(choice.live, sizes, readable)
  }

  /// A checkpoint whose shards are missing or cut off says less than the shards that are there.
  private mutating func checkNamedShards(_ sizes: [ShardName: UInt64]) {
    guard let checkpoint else { return }
    // A torn tail may have left a file that does not end at a slot's border.
    for entry in checkpoint.shards where SlotHeader.aligned(sizes[entry.name] ?? 0) < entry.length {
      note(
        DamagedPlace(
          file: entry.name.fileName, offset: sizes[entry.name] ?? 0,
          what: sizes[entry.name] == nil ? "the file is missing" : "the file is cut off"))
      report.lostState = true
      self.checkpoint = nil
    }
  }

  private mutating func number(
    _ names: [ShardName], _ sizes: [ShardName: UInt64], _ readable: Set<ShardName>
  ) {
    var entries: [ShardName: CheckpointDirectory.ShardEntry] = [:]
    for entry in checkpoint?.shards ?? [] { entries[entry.name] = entry }
    let taken = Set(entries.values.map(\.number))
    var next = 0
    for name in names {
      let entry = entries[name]
      while entry == nil, taken.contains(next) { next += 1 }
      let number = entry?.number ?? next
      if entry == nil { next += 1 }
      guard number < RecordEntry.shardLimit else { continue }
      let hasHeader = readable.contains(name)
      shards.append(
        SurveyedShard(
          shard: Shard(number: number, name: name), size: sizes[name] ?? 0,
          knownLength: entry?.length ?? 0, liveSize: entry?.liveSize ?? 0,
          hasHeader: hasHeader))
    }
  }

  mutating func note(_ place: DamagedPlace) {
    if report.damaged.count < StorageLimits.damageCount { report.damaged.append(place) }
  }
}

/// Which slots there are.
extension StoreSurvey {
  /// Reads what the checkpoint does not know.
  private mutating func walk() throws(IOError) -> [Int: ShardWalk] {
    var walks: [Int: ShardWalk] = [:]
    for surveyed in shards {
      let start = max(surveyed.knownLength, UInt64(ShardHeader.size))
      guard surveyed.size > start else { continue }
      var walk = try makeWalk(surveyed)
      try walk.walk(from: start)
      // Mostly there is one list, which need not be copied.
      found = found.isEmpty ? walk.found : found + walk.found
      walks[surveyed.shard.number] = walk
    }
    return walks
  }

  private func makeWalk(_ surveyed: SurveyedShard) throws(IOError) -> ShardWalk {
    let file = try shardDirectory.openFile(surveyed.shard.fileName)
    let first = checkpoint == nil ? 1 : start
    return ShardWalk(
      file, size: surveyed.size,
      check: SlotCheck(
        shard: surveyed.shard, codec: codec, configuration: configuration,
        sequences: first...max(first, contents.cell == nil ? UInt64(Int64.max) : reserved),
        readsKeys: hasKeys))
  }

  /// Finds out which of the active free slots were written since the checkpoint.
  private mutating func lookAtFreeSlots(
    _ checkpoint: Checkpoint, _ walks: inout [Int: ShardWalk]
  ) throws(IOError) {
    let retiring = hasRetired ? [] : Set(checkpoint.retire.content.map(\.location))
    var active: [FreeSlot] = []
    let slots = checkpoint.activeFree.sorted { $0.location < $1.location }
    for surveyed in shards {
      let number = surveyed.shard.number
      let own = slots.filter { Int($0.shard) == number }
      guard !own.isEmpty else { continue }
      var walk = try makeWalk(surveyed)
      for (slot, look) in zip(own, try walk.look(at: own)) {
        switch look {
        case .written(let now):
          if now.stamp.sequence >= start { found.append(now) }
        case .unchanged(let isRetired):
          if isRetired || retiring.contains(slot.location) { active.append(slot) }
        case .unread:
          debris[number, default: []].append(slot.range(in: surveyed.size))
          if retiring.contains(slot.location) { active.append(slot) }
        }
      }
      report.scannedSlots += walk.slotCount
      report.scannedSize += walk.readSize
    }
    takeFreeSlots(checkpoint, looked: active)
  }

  /// Takes over the free slots; `looked` are the active ones that were not used again.
  private mutating func takeFreeSlots(_ checkpoint: Checkpoint, looked active: [FreeSlot]) {
    if hasRetired {
      free = FreeSlots(active: active, others: checkpoint.freeOnceRetired)
    } else {
      // The retiring that this checkpoint announced is finished by the next one.
      let wasActive = Set(checkpoint.activeFree.map(\.location))
      let isActive = Set(active.map(\.location))
      let retire = checkpoint.retire.content
      let retiring = Set(retire.map(\.location))
      retireAgain = retire.filter {
        !wasActive.contains($0.location) || isActive.contains($0.location)
      }
      free = FreeSlots(
        active: active.filter { !retiring.contains($0.location) }, others: checkpoint.free)
    }
  }
}

extension FreeSlot {
  /// The slot's bytes, as far as the file has them.
  fileprivate func range(in size: UInt64) -> Range<UInt64> {
    let start = min(size, offset)
    return start..<min(size, max(start, offset + UInt64(SlotHeader.size) + UInt64(capacity)))
  }
}

extension CheckpointDirectory.ShardEntry {
  var name: ShardName { ShardName(partition: partition, fileID: fileID) }
}
