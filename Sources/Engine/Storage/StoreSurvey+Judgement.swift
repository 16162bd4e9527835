/// What counts, and what is damaged: decided from what was found, without any I/O.
extension StoreSurvey {
  /// The kernel ran on, so nothing is lost but a write that was under way. Without a head nobody
  /// knows what was durable; then nothing is given up, either.
  var keepsGaps: Bool {
    contents.cell.map { $0.bootID == configuration.bootID } ?? true
  }

  mutating func judge(_ walks: [Int: ShardWalk]) {
    run = RecoveredRun(
      slots: plausibleSlots.map(\.runSlot), start: start, durable: durable,
      keepsGaps: keepsGaps)
    for walk in walks.values {
      report.scannedSlots += walk.slotCount
      report.scannedSize += walk.readSize
    }
    for slot in found where slot.stamp.sequence >= run.end && slot.isIntact && !slot.isRetired {
      report.droppedVersions += 1
    }
    noteDamagedSlots()
    noteMissing()
    noteHeaders()
    noteUnread(walks)
    if contents.cell == nil {
      note(DamagedPlace(file: StoreOpening.headName, offset: 0, what: "no cell reads"))
      report.lostState = true
    }
  }

  /// The versions that count, in ascending order of sequence: mostly all, in the order of the disk.
  var counted: [FoundSlot] {
    let counts = { (slot: FoundSlot) in
      slot.isIntact && !slot.isRetired && slot.stamp.sequence < run.end
    }
    let slots = found.allSatisfy(counts) ? found : found.filter(counts)
    let isAscending = slots.indices.dropFirst().allSatisfy {
      slots[$0 - 1].stamp.sequence < slots[$0].stamp.sequence
    }
    return isAscending ? slots : slots.sorted { $0.stamp.sequence < $1.stamp.sequence }
  }

  /// Without a head nobody knows how far sequences go; then a slot that does not read says
  /// nothing about it.
  private var plausibleSlots: [FoundSlot] {
    guard contents.cell == nil else { return found }
    let last = found.filter(\.isIntact).map(\.stamp.sequence).max() ?? 0
    return found.filter { $0.isIntact || $0.stamp.sequence <= last }
  }

  /// A write into a free slot that was under way when everything ended. Nobody was told that it
  /// succeeded, or nobody else can have seen it, since it was not durable.
  private var unfinishedReuse: UInt64? {
    found.first {
      $0.isReused && !$0.isIntact && $0.stamp.sequence + 1 == run.end
        && $0.stamp.sequence > durable
    }?.stamp.sequence
  }

  private mutating func noteDamagedSlots() {
    let unfinished = unfinishedReuse
    for slot in found where slot.stamp.sequence < run.end && !slot.isIntact && !slot.isRetired {
      note(
        DamagedPlace(
          file: fileName(slot.shard), offset: slot.offset,
          what: "version \(slot.stamp.sequence) does not read"))
      if slot.stamp.sequence != unfinished { report.lostState = true }
    }
  }

  /// Sequences of which nothing was found. What an earlier recovery has retired is not missed.
  private mutating func noteMissing() {
    guard !run.gaps.isEmpty else { return }
    let known = Set(found.map(\.stamp.sequence))
    for gap in run.gaps {
      for sequence in gap where !known.contains(sequence) {
        report.lostState = true
        note(DamagedPlace(file: "", offset: 0, what: "version \(sequence) is missing"))
        if report.damaged.count >= StorageLimits.damageCount { return }
      }
    }
  }

  /// A header was durable before anything in its file was. What never got so far is no damage.
  private mutating func noteHeaders() {
    for surveyed in shards where !surveyed.hasHeader && surveyed.size > 0 {
      let number = surveyed.shard.number
      let wasDurable =
        surveyed.knownLength > 0
        || found.contains { $0.shard == number && $0.stamp.sequence <= durable }
      guard wasDurable else { continue }
      note(
        DamagedPlace(
          file: surveyed.shard.fileName, offset: 0, what: "the header does not read"))
    }
  }

  /// Bytes that are no slot are damage, unless a power cut may have left them: behind all that
  /// was durable, and with no version missing.
  private mutating func noteUnread(_ walks: [Int: ShardWalk]) {
    let isMissing = !run.gaps.isEmpty && report.lostState
    for walk in walks.values.sorted(by: { $0.shard.number < $1.shard.number }) {
      let last = walk.found.last { $0.stamp.sequence <= durable }?.offset ?? 0
      for range in walk.unread {
        // A header lies in one sector, so a write that was cut short leaves it or less.
        let isWhole = range.count >= SlotHeader.size
        let isInside = checkpoint == nil && range.lowerBound < last
        guard isMissing || (isWhole && (keepsGaps || isInside)) else {
          debris[walk.shard.number, default: []].append(range)
          continue
        }
        note(
          DamagedPlace(
            file: walk.shard.fileName, offset: range.lowerBound,
            what: "\(range.count) bytes are no slot"))
        report.lostState = true
      }
    }
  }

  private func fileName(_ number: Int) -> String {
    shards.first { $0.shard.number == number }?.shard.fileName ?? ""
  }
}
