/// Entries of the record table, as they lie in a chunk of the older kind, which is only read.
///
///     entries := count × (sequence u64, shard u16 and offset / 32 u48 as one u64, capacity u32,
///                payloadLength in 26 bits and flags / 2 in 6 bits as one u32)
///
/// An entry with sequence 0 is a handle that is free; in the place of the offset it has the next
/// free handle and one more, or 0. A chunk is a group of the table: all but the last are full.
enum TableChunk {
  static let entrySize = 24

  static func decode(
    _ bytes: Span<UInt8>, count: Int, shards: Set<Int>, handleLimit: Int
  ) throws(FormatError) -> [[RecordEntry]] {
    guard bytes.count == count * entrySize else { throw .lengthOutOfRange(UInt64(count)) }
    var reader = ByteReader(bytes)
    var leaves: [[RecordEntry]] = []
    var known = -1
    for first in stride(from: 0, to: count, by: RecordTable.leafCount) {
      let leafCount = min(RecordTable.leafCount, count - first)
      leaves.append(
        try decode(&reader, leafCount, shards: shards, handleLimit: handleLimit, &known))
    }
    return leaves
  }

  /// `known` is a shard of which it is known that there is one.
  private static func decode(
    _ reader: inout ByteReader, _ count: Int, shards: Set<Int>, handleLimit: Int,
    _ known: inout Int
  ) throws(FormatError) -> [RecordEntry] {
    var entries: [RecordEntry] = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      let sequence = try reader.readUInt64()
      let location = try reader.readUInt64()
      let capacity = try reader.readUInt32()
      let lengthAndFlags = try reader.readUInt32()
      guard sequence != 0 else {
        guard location <= UInt64(handleLimit), capacity | lengthAndFlags == 0 else {
          throw .invalid("a free entry of the record table")
        }
        entries.append(.free(next: location))
        continue
      }
      let shard = Int(location >> 48)
      let payloadLength = lengthAndFlags & (1 << 26 - 1)
      guard shard == known || shards.contains(shard), payloadLength <= capacity else {
        throw .invalid("an entry of the record table")
      }
      known = shard
      entries.append(
        RecordEntry(
          sequence: sequence, shard: shard, offset: (location & (1 << 48 - 1)) * 32,
          capacity: capacity, payloadLength: Int(payloadLength),
          flags: UInt8(lengthAndFlags >> 26) << 1))
    }
    return entries
  }
}
