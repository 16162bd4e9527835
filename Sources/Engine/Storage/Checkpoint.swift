/// A store's state, written down so that opening need not read the slots.
///
/// It is a cache: a checkpoint that is missing or wrong costs a walk over all slots.
struct Checkpoint: Sendable {
  var generation: UInt64
  var image: StoreImage

  /// Higher than all sequences that were given out.
  var nextSequence: UInt64
  var indexes: [IndexDefinition]
  var shards: [CheckpointDirectory.ShardEntry]
  var activeFree: [FreeSlot]
  var free: [FreeSlot]

  /// Slots to be retired as soon as this checkpoint counts.
  var retire: [FreeSlot]

  static func fileName(_ generation: UInt64) -> String { "checkpoint.\(generation)" }

  /// The generation in a file's name.
  static func generation(_ fileName: String) -> UInt64? {
    let prefix = "checkpoint."
    guard fileName.hasPrefix(prefix), let generation = UInt64(fileName.dropFirst(prefix.count)),
      generation < UInt64(Int64.max), Self.fileName(generation) == fileName
    else { return nil }
    return generation
  }
}

/// Pairs of an index, as they lie in a chunk.
///
///     pairs := count × (shared varint, rest length varint, rest, handle varint)
///
/// A key begins with the first `shared` bytes of the key before, in the first pair none.
enum PairChunk {
  static func encode(
    _ cursor: inout OrderedIndex.Cursor, upTo size: Int
  ) -> (bytes: [UInt8], firstKey: [UInt8], count: Int)? {
    var writer = ByteWriter(capacity: size + 1_024)
    var previous: [UInt8] = []
    var key: [UInt8] = []
    var firstKey: [UInt8] = []
    var count = 0
    while writer.count < size, let handle = cursor.next() {
      key.removeAll(keepingCapacity: true)
      cursor.appendKey(to: &key)
      let shared = ByteOrder.commonPrefixCount(previous.span, key.span)
      writer.writeVarint(UInt64(shared))
      writer.writeVarint(UInt64(key.count - shared))
      writer.write(key[shared...])
      writer.writeVarint(UInt64(handle))
      if count == 0 { firstKey = key }
      count += 1
      swap(&previous, &key)
    }
    return count == 0 ? nil : (writer.finish(), firstKey, count)
  }

  /// Appends the pairs to the index that is being built. `last` is the pair before, so that no
  /// order is taken on trust.
  static func decode(
    _ bytes: Span<UInt8>, count: Int, handleLimit: Int,
    last: inout OrderedIndex.Pair?, into builder: inout OrderedIndex.Builder
  ) throws(FormatError) {
    var reader = ByteReader(bytes)
    var pair = last ?? OrderedIndex.Pair([], 0)
    for place in 0..<count {
      let shared = try reader.readVarint()
      guard shared <= (place == 0 ? 0 : UInt64(pair.key.count)) else {
        throw .lengthOutOfRange(shared)
      }
      let length = try reader.readLength()
      let rest = bytes.extracting(reader.offset..<reader.offset + length)
      try reader.skip(length)
      let handle = try reader.readVarint()
      guard handle < UInt64(handleLimit) else { throw .lengthOutOfRange(handle) }
      // The keys agree up to `shared`, so what follows decides.
      let order = ByteOrder.compare(
        pair.key.span, Int(shared)..<pair.key.count, rest, 0..<length)
      let isBehind = order < 0 || (order == 0 && pair.handle < UInt32(handle))
      guard isBehind || (last == nil && place == 0) else { throw .invalid("pairs out of order") }
      pair.key.removeLast(pair.key.count - Int(shared))
      pair.key.append(copying: rest)
      pair.handle = UInt32(handle)
      builder.append(pair.key, pair.handle)
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the last pair") }
    if count > 0 { last = pair }
  }
}

/// Entries of the record table, as they lie in a chunk.
///
///     entries := count × (sequence u64, shard u16 and offset / 32 u48 as one u64, capacity u32,
///                payloadLength in 26 bits and flags / 2 in 6 bits as one u32)
///
/// An entry of zeros is a handle that is free.
enum TableChunk {
  static let entrySize = 24

  static func encode(_ table: RecordTable, from first: Int, count: Int) -> [UInt8] {
    var writer = ByteWriter(capacity: count * entrySize)
    for handle in first..<first + count {
      let entry = table[UInt32(handle)]
      guard entry.sequence != 0 else {
        writer.writeZeros(entrySize)
        continue
      }
      writer.write(entry.sequence)
      writer.write(UInt64(entry.shard) << 48 | entry.offset / 32)
      writer.write(entry.capacity)
      writer.write(UInt32(entry.payloadLength) | UInt32(entry.flags >> 1) << 26)
    }
    return writer.finish()
  }

  static func decode(
    _ bytes: Span<UInt8>, count: Int, shards: Set<Int>, into table: inout RecordTable
  ) throws(FormatError) {
    guard bytes.count == count * entrySize else { throw .lengthOutOfRange(UInt64(count)) }
    var reader = ByteReader(bytes)
    for _ in 0..<count {
      let sequence = try reader.readUInt64()
      let location = try reader.readUInt64()
      let capacity = try reader.readUInt32()
      let lengthAndFlags = try reader.readUInt32()
      guard sequence != 0 else {
        table.append(restoring: nil)
        continue
      }
      let shard = Int(location >> 48)
      let payloadLength = lengthAndFlags & (1 << 26 - 1)
      guard shards.contains(shard), payloadLength <= capacity else {
        throw .invalid("an entry of the record table")
      }
      table.append(
        restoring: RecordEntry(
          sequence: sequence, shard: shard, offset: (location & (1 << 48 - 1)) * 32,
          capacity: capacity, payloadLength: Int(payloadLength),
          flags: UInt8(lengthAndFlags >> 26) << 1))
    }
  }
}

/// Entries of the change index, as they lie in a chunk.
///
///     entries := count × (sequence less the one before varint, handle varint)
///
/// In the first entry the sequence stands whole.
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

  static func decode(
    _ bytes: Span<UInt8>, count: Int, handleLimit: Int, last: inout UInt64,
    into changes: inout ChangeIndex
  ) throws(FormatError) {
    var reader = ByteReader(bytes)
    for place in 0..<count {
      let number = try reader.readVarint()
      let (sequence, isTooLarge) =
        place == 0 ? (number, false) : last.addingReportingOverflow(number)
      let handle = try reader.readVarint()
      guard !isTooLarge, sequence > last, handle < UInt64(handleLimit) else {
        throw .invalid("an entry of the change index")
      }
      changes.append(sequence, UInt32(handle))
      last = sequence
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the last change") }
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
