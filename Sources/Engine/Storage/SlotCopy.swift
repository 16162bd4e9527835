/// Slots of one shard on their way into another: what lay between the first and the last of them,
/// and where they go.
///
/// The stored payload stays as it is, with its sequence and batch; the checksums follow from the
/// old ones. A slot that does not read is copied as it lies: it stays damaged, and present.
struct SlotCopy: Sendable {
  /// The number of the compaction's part.
  var part: Int
  var old: Shard
  var new: Shard

  /// Bytes of the old file from `start` on.
  var bytes: [UInt8]
  var start: UInt64

  /// Where the slots go, one behind the other, and what they take.
  var target: UInt64
  var size: Int

  /// Where the slots lie, in the order in which they are copied.
  var entries: [RecordEntry]

  /// The bytes for the new place.
  func output() -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(size)
    var move = SlotMove(from: old, to: new)
    for entry in entries {
      let start = output.count
      let moved = entry.moved(to: target + UInt64(start), of: new)
      let from = min(bytes.count, Int(entry.offset - self.start))
      let end = min(bytes.count, from + entry.storedSize)
      output.append(copying: bytes.span.extracting(from..<end))
      output.append(zeros: start + Int(moved.slotSize) - output.count)
      move.restamp(&output, at: start, entry, to: moved)
    }
    return output
  }
}

extension RecordEntry {
  /// The entry of the version's copy, which has no more room than it needs.
  func moved(to offset: UInt64, of shard: Shard) -> RecordEntry {
    RecordEntry(
      sequence: sequence, shard: shard.number, offset: offset,
      capacity: UInt32(SlotHeader.capacity(for: payloadLength)), payloadLength: payloadLength,
      flags: flags)
  }
}
