/// Moving the live slots of some shards into new files, while writes go on.
///
/// The new files have no header until everything in them is durable, so they count for nothing
/// before.
struct Compaction {
  /// A version that was copied.
  struct Move {
    var handle: UInt32
    var old: RecordEntry
    var new: RecordEntry
  }

  /// One shard and its successor.
  struct Part {
    var old: Shard
    var new: Shard
    var file: any File

    /// Where the next slot goes.
    var length = UInt64(ShardHeader.size)
    var moves: [Move] = []
  }

  /// Pins what the copying reads.
  var snapshot: StoreSnapshot?
  var parts: [Part]

  /// What is still to be copied, by part, in the order of the disk.
  var pending: [[SlotScan.Target]]
  var next = (part: 0, target: 0)

  var isCopied: Bool { next.part >= parts.count }
}

/// Copying slots from one place to another.
extension Compaction.Part {
  /// Copies slots that lie in one window of the old file behind what is there.
  ///
  /// The stored payload stays as it is, with its sequence and batch; checksums are made for the
  /// new place. A slot that does not read is copied as it lies: it stays damaged, and present.
  mutating func copy(
    _ targets: ArraySlice<SlotScan.Target>, from source: any File
  ) throws(IOError) {
    guard let first = targets.first, let last = targets.last else { return }
    let start = first.entry.offset
    let size = Int(last.entry.offset - start) + SlotHeader.size + Int(last.entry.capacity)
    let bytes = try source.read(size, at: start)
    var output: [UInt8] = []
    output.reserveCapacity(size)
    for target in targets {
      let entry = target.entry
      let from = min(bytes.count, Int(entry.offset - start))
      let slot = bytes.span.extracting(from..<bytes.count)
      let offset = length + UInt64(output.count)
      let capacity = append(slot, entry, at: offset, to: &output)
      let moved = RecordEntry(
        sequence: entry.sequence, shard: new.number, offset: offset, capacity: UInt32(capacity),
        payloadLength: entry.payloadLength, flags: entry.flags)
      moves.append(Compaction.Move(handle: target.handle, old: entry, new: moved))
    }
    try file.write(output.span, at: length)
    length += UInt64(output.count)
  }

  /// - Returns: The capacity in the new place.
  private func append(
    _ slot: Span<UInt8>, _ entry: RecordEntry, at offset: UInt64, to output: inout [UInt8]
  ) -> Int {
    let start = output.count
    let payloadEnd = SlotHeader.size + entry.payloadLength
    let capacity: Int
    if let header = SlotHeader.checked(slot, entry: entry, at: old.place(entry.offset)) {
      capacity = SlotHeader.capacity(for: entry.payloadLength)
      output.append(copying: slot.extracting(0..<payloadEnd))
      var stamp = header.stamp
      stamp.flags = stamp.flags.unretired
      SlotHeader(
        capacity: UInt32(capacity), payloadLength: header.payloadLength, stamp: stamp
      ).write(into: &output, at: start, place: new.place(offset))
    } else {
      capacity = Int(entry.capacity)
      output.append(
        copying: slot.extracting(0..<min(slot.count, SlotHeader.size + capacity)))
    }
    let end = start + SlotHeader.size + capacity
    output.append(contentsOf: repeatElement(0, count: end - output.count))
    return capacity
  }
}
