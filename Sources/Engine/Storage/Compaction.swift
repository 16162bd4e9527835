/// Moving the live slots of some shards into new files, while writes go on.
///
/// The new files have no header until everything in them is durable, so they count for nothing
/// before.
struct Compaction {
  /// Bytes of an old file from which slots are copied together.
  private static let stretchSize: UInt64 = 1 << 20

  /// Bytes that one step copies, about.
  private static let stepSize: UInt64 = 4 << 20

  /// Live slots that begin in one stretch of an old file.
  struct Stretch {
    var handles: [UInt32] = []

    /// Where the first of them begins and the last one ends.
    var start = UInt64.max
    var end: UInt64 = 0
  }

  /// One shard and its successor.
  struct Part {
    var old: Shard
    var new: Shard
    var file: any File

    /// Where the next slot goes.
    var length = UInt64(ShardHeader.size)

    /// What is still to be copied, by place in the old file.
    var stretches: [Stretch] = []
  }

  /// Pins what the copying reads.
  private let snapshot: StoreSnapshot
  var parts: [Part]

  /// The part of a shard, by number.
  private let partNumbers: [Int?]

  /// Where the copies lie, by handle, in units of 32 bytes; 0 where there is none.
  private var places: [UInt64]

  /// Where the versions lie that are still to be copied.
  private var table: RecordTable

  /// The stretch that comes next.
  private var next = (part: 0, stretch: 0)

  init(snapshot: StoreSnapshot, parts: [Part]) {
    self.snapshot = snapshot
    self.parts = parts
    var numbers = [Int?](repeating: nil, count: snapshot.shards.count)
    for (index, part) in parts.enumerated() { numbers[part.old.number] = index }
    partNumbers = numbers
    table = snapshot.image.table
    places = Array(repeating: 0, count: table.handleLimit)
  }

  var isCopied: Bool { next.part >= parts.count }

  private func part(of entry: RecordEntry) -> Int? {
    entry.shard < partNumbers.count ? partNumbers[entry.shard] : nil
  }
}

/// Copying slots from one place to another.
extension Compaction {
  /// Lets the version of a record be copied, if it lies in one of the shards.
  mutating func add(_ handle: UInt32, _ entry: RecordEntry) {
    guard let part = part(of: entry) else { return }
    let number = Int(entry.offset / Self.stretchSize)
    while parts[part].stretches.count <= number { parts[part].stretches.append(Stretch()) }
    parts[part].stretches[number].handles.append(handle)
    parts[part].stretches[number].start = min(parts[part].stretches[number].start, entry.offset)
    parts[part].stretches[number].end = max(
      parts[part].stretches[number].end, entry.offset + UInt64(entry.storedSize))
  }

  /// Copies the next few megabytes of what is to be copied.
  mutating func step(from source: SlotSource) throws(StorageError) {
    var copies: [SlotCopy] = []
    var size: UInt64 = 0
    while size < Self.stepSize, !isCopied {
      let part = next.part
      guard next.stretch < parts[part].stretches.count else {
        parts[part].stretches = []
        next = (part + 1, 0)
        continue
      }
      var stretch = Stretch()
      swap(&stretch, &parts[part].stretches[next.stretch])
      next.stretch += 1
      guard stretch.start < stretch.end else { continue }
      let file = try source.file(of: parts[part].old)
      let bytes: [UInt8]
      do {
        bytes = try file.read(Int(stretch.end - stretch.start), at: stretch.start)
      } catch {
        throw .io(error)
      }
      size += stretch.end - stretch.start
      copies.append(place(stretch, bytes, of: part))
    }
    let outputs = Spread.parts(of: copies.indices, minimum: 1) { [copies] part in
      copies[part].map { $0.output() }
    }
    for (copy, output) in zip(copies, outputs.joined()) {
      do { try parts[copy.part].file.write(output.span, at: copy.target) } catch {
        throw .io(error)
      }
    }
  }

  /// Gives each slot of the stretch its new place.
  private mutating func place(
    _ stretch: Stretch, _ bytes: [UInt8], of part: Int
  ) -> SlotCopy {
    let target = parts[part].length
    var entries: [RecordEntry] = []
    entries.reserveCapacity(stretch.handles.count)
    for handle in stretch.handles {
      let entry = table[handle]
      let moved = entry.moved(to: parts[part].length, of: parts[part].new)
      places[Int(handle)] = moved.offset / 32
      parts[part].length += moved.slotSize
      entries.append(entry)
    }
    return SlotCopy(
      part: part, old: parts[part].old, new: parts[part].new, bytes: bytes,
      start: stretch.start, target: target, size: Int(parts[part].length - target),
      entries: entries)
  }
}

/// What changed while the slots were copied.
extension Compaction {
  /// Takes the copies out that are of no use, since the records were written again meanwhile.
  ///
  /// Whoever sees such a version sees it in the old file.
  mutating func removeDeadCopies(_ image: StoreImage) -> [DeadSlot] {
    let table = image.table
    places += Array(repeating: 0, count: table.handleLimit - places.count)
    // A copied version leaves the table by a write only, or as a deletion that a checkpoint forgot.
    guard image.lastSequence > snapshot.sequence || table.count < snapshot.image.table.count else {
      return []
    }
    var dead: [DeadSlot] = []
    for handle in places.indices where places[handle] != 0 {
      let entry = table[UInt32(handle)]
      if entry.sequence != 0, entry.sequence <= snapshot.sequence { continue }
      let old = snapshot.image.table[UInt32(handle)]
      if let copy = moved(UInt32(handle), old) {
        dead.append(DeadSlot(copy, died: copy.sequence))
      }
      places[handle] = 0
    }
    return dead
  }

  /// Adds what lies in one of the shards and has no copy yet.
  ///
  /// - Returns: The deletion markers that may be forgotten instead: those below a sequence.
  mutating func addRest(_ table: RecordTable, forgettingBelow limit: UInt64) -> [UInt32] {
    self.table = table
    next = (0, 0)
    var forgettable: [UInt32] = []
    table.forEach { handle, entry in
      guard places[Int(handle)] == 0, part(of: entry) != nil else { return true }
      if entry.isDeletion, entry.sequence < limit {
        forgettable.append(handle)
      } else {
        add(handle, entry)
      }
      return true
    }
    return forgettable
  }

  /// Lets the image name the new places.
  ///
  /// - Returns: The live bytes of each part.
  func switchOver(_ image: inout StoreImage) -> [UInt64] {
    var sizes = [UInt64](repeating: 0, count: parts.count)
    var (before, after): (UInt64, UInt64) = (0, 0)
    image.table.update { handle, entry in
      guard let part = part(of: entry), let copy = moved(handle, entry) else { return }
      before += entry.slotSize
      after += copy.slotSize
      sizes[part] += copy.slotSize
      entry = copy
    }
    image.liveSize = image.liveSize - min(image.liveSize, before) + after
    return sizes
  }

  /// The entry of the copy, if there is one.
  private func moved(_ handle: UInt32, _ entry: RecordEntry) -> RecordEntry? {
    guard places[Int(handle)] != 0, let part = part(of: entry) else { return nil }
    return entry.moved(to: places[Int(handle)] * 32, of: parts[part].new)
  }
}
