/// Entries of the change index, as they lie in a chunk.
///
///     entries := count × (sequence less the one before varint, handle varint)
///
/// In the first entry the sequence stands whole. A chunk is a group of the index: all but the last
/// are full.
enum ChangeChunk {
  static func encode(_ entries: [ChangeIndex.Entry]) -> [UInt8] {
    var writer = ByteWriter(capacity: entries.count * 6)
    var last: UInt64 = 0
    for entry in entries {
      writer.writeVarint(entry.sequence - last)
      writer.writeVarint(UInt64(entry.handle))
      last = entry.sequence
    }
    return writer.finish()
  }

  /// The first sequence has to be `first`, and all below `next`.
  static func decode(
    _ bytes: Span<UInt8>, count: Int, handleLimit: Int, first: UInt64, next: UInt64
  ) throws(FormatError) -> (sequences: [[UInt64]], handles: [[UInt32]]) {
    var reader = ByteReader(bytes)
    var (sequences, handles): ([UInt64], [UInt32]) = ([], [])
    sequences.reserveCapacity(count)
    handles.reserveCapacity(count)
    var last: UInt64 = 0
    for place in 0..<count {
      let number = try reader.readVarint()
      let (sequence, isTooLarge) = last.addingReportingOverflow(number)
      let handle = try reader.readVarint()
      guard !isTooLarge, sequence > last, sequence < next, handle < UInt64(handleLimit),
        place > 0 || sequence == first
      else { throw .invalid("an entry of the change index") }
      sequences.append(sequence)
      handles.append(UInt32(handle))
      last = sequence
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the last change") }
    return (ChunkedArray.leaves(sequences), ChunkedArray.leaves(handles))
  }
}

/// Free slots, as they lie in a chunk.
///
///     slots := count × (shard varint, offset / 32 varint, capacity / 32 varint, sequence varint)
enum SlotChunk {
  static func encode(_ slots: ArraySlice<FreeSlot>) -> [UInt8] {
    var writer = ByteWriter(capacity: slots.count * 16)
    for slot in slots {
      writer.writeVarint(UInt64(slot.shard))
      writer.writeVarint(slot.offset / 32)
      writer.writeVarint(UInt64(slot.capacity) / 32)
      writer.writeVarint(slot.sequence)
    }
    return writer.finish()
  }

  static func decode(
    _ bytes: Span<UInt8>, count: Int, shards: Set<Int>, into slots: inout [FreeSlot]
  ) throws(FormatError) {
    var reader = ByteReader(bytes)
    for _ in 0..<count {
      let shard = try reader.readVarint()
      let offset = try reader.readVarint()
      let capacity = try reader.readVarint()
      let sequence = try reader.readVarint()
      guard shard < UInt64(RecordEntry.shardLimit), shards.contains(Int(shard)),
        offset < RecordEntry.offsetLimit / 32, capacity > 0,
        capacity <= UInt64(UInt32.max) / 32, sequence > 0
      else { throw .invalid("a free slot") }
      slots.append(
        FreeSlot(
          shard: UInt16(shard), capacity: UInt32(capacity * 32), offset: offset * 32,
          sequence: sequence))
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the last slot") }
  }
}
