/// Entries of the record table, as they lie in a chunk of the newer kind: by what they differ from
/// the entries before.
///
///     entries := count × (used | free)
///     used    := kind u8, [shard varint], sequence, place, payloadLength varint,
///                [capacity / 32 varint]
///     free    := 3f, next
///     kind    := bits 0–5 flags / 2, bit 6 a capacity follows, bit 7 a shard follows
///
/// `sequence` is the difference to the last one, `place` that of offset / 32 to where the last slot
/// of the shard ended, `next` that of the next free handle and one more, or 0, to the entry's own
/// handle; all as zigzag varints. Before the first entry everything is 0. The shard is that of the
/// last entry where none follows, the capacity the smallest for the payload.
enum PackedTableChunk {
  /// Bits of a slot that cannot be: it would have a seventh method of compression.
  private static let freeKind: UInt8 = 0x3F
  private static let capacityBit: UInt8 = 0x40
  private static let shardBit: UInt8 = 0x80

  static func encode(_ table: RecordTable, from first: Int, count: Int) -> [UInt8] {
    var writer = ByteWriter(capacity: count * 12)
    var last = Predecessor()
    table.forEachHandle(first..<first + count) { handle, entry in
      guard entry.sequence != 0 else {
        writer.write(freeKind)
        writer.writeZigzag(entry.nextFree, from: UInt64(handle))
        return
      }
      let isTight = Int(entry.capacity) == SlotHeader.capacity(for: entry.payloadLength)
      let isSameShard = entry.shard == last.shard
      writer.write(
        entry.flags >> 1 | (isTight ? 0 : capacityBit) | (isSameShard ? 0 : shardBit))
      if !isSameShard { writer.writeVarint(UInt64(entry.shard)) }
      last.move(to: entry.shard)
      writer.writeZigzag(entry.sequence, from: last.sequence)
      writer.writeZigzag(entry.offset / 32, from: last.end)
      writer.writeVarint(UInt64(entry.payloadLength))
      if !isTight { writer.writeVarint(UInt64(entry.capacity / 32)) }
      last.note(entry)
    }
    return writer.finish()
  }

  static func decode(
    _ bytes: Span<UInt8>, from first: Int, count: Int, shards: Set<Int>, handleLimit: Int
  ) throws(FormatError) -> [[RecordEntry]] {
    var reader = ByteReader(bytes)
    var entries: [RecordEntry] = []
    entries.reserveCapacity(count)
    var last = Predecessor()
    var known = -1
    for handle in first..<first + count {
      let kind = try reader.readUInt8()
      if kind == freeKind {
        let next = try reader.readZigzag(from: UInt64(handle))
        guard next <= UInt64(handleLimit) else {
          throw .invalid("a free entry of the record table")
        }
        entries.append(.free(next: next))
        continue
      }
      if kind & shardBit != 0 {
        let shard = try reader.readVarint()
        guard shard < UInt64(RecordEntry.shardLimit) else { throw .lengthOutOfRange(shard) }
        last.move(to: Int(shard))
      }
      let entry = try entry(from: &reader, kind: kind, behind: last)
      guard entry.shard == known || shards.contains(entry.shard) else {
        throw .invalid("an entry of the record table")
      }
      known = entry.shard
      last.note(entry)
      entries.append(entry)
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the last entry") }
    return ChunkedArray.leaves(entries)
  }

  private static func entry(
    from reader: inout ByteReader, kind: UInt8, behind last: Predecessor
  ) throws(FormatError) -> RecordEntry {
    let sequence = try reader.readZigzag(from: last.sequence)
    let place = try reader.readZigzag(from: last.end)
    let payloadLength = try reader.readVarint()
    guard sequence != 0, place < RecordEntry.offsetLimit / 32,
      payloadLength < UInt64(RecordEntry.payloadLengthLimit)
    else { throw .invalid("an entry of the record table") }
    var capacity = UInt64(SlotHeader.capacity(for: Int(payloadLength)))
    if kind & capacityBit != 0 {
      let units = try reader.readVarint()
      guard units > capacity / 32, units <= UInt64(UInt32.max) / 32 else {
        throw .lengthOutOfRange(units)
      }
      capacity = units * 32
    }
    return RecordEntry(
      sequence: sequence, shard: last.shard, offset: place * 32, capacity: UInt32(capacity),
      payloadLength: Int(payloadLength), flags: (kind & freeKind) << 1)
  }
}

/// What the next entry of a chunk differs from.
private struct Predecessor {
  private(set) var sequence: UInt64 = 0
  private(set) var shard = 0

  /// Where the shard's last slot ended, in units of 32 bytes.
  private(set) var end: UInt64 = 0

  /// The same of the other shards.
  private var ends: [Int: UInt64] = [:]

  mutating func move(to shard: Int) {
    guard shard != self.shard else { return }
    ends[self.shard] = end
    end = ends[shard] ?? 0
    self.shard = shard
  }

  mutating func note(_ entry: RecordEntry) {
    sequence = entry.sequence
    end = (entry.offset + entry.slotSize) / 32
  }
}

extension ByteWriter {
  /// The difference between two numbers: small for small ones of either sign.
  fileprivate mutating func writeZigzag(_ value: UInt64, from base: UInt64) {
    let difference = Int64(bitPattern: value &- base)
    writeVarint(UInt64(bitPattern: difference << 1 ^ difference >> 63))
  }
}

extension ByteReader {
  fileprivate mutating func readZigzag(from base: UInt64) throws(FormatError) -> UInt64 {
    let bits = try readVarint()
    return base &+ (bits >> 1 ^ (0 &- (bits & 1)))
  }
}
