/// What moving slots from one file into another makes of their headers.
///
/// The checksums cover the place. CRC-32 is linear, so they differ from the old ones by what the
/// new place and capacity leave behind the bytes that stay the same. The payload is not looked at:
/// a slot that did not read before does not read afterwards.
struct SlotMove {
  /// Bytes that the checksums cover in front of the payload: fileID, offset and header.
  private static let coveredSize = 48

  private let old: Shard
  private let new: Shard
  private var shift = ChecksumShift()

  /// What the files' numbers make different.
  private var fileDifference: UInt32 = 0

  init(from old: Shard, to new: Shard) {
    self.old = old
    self.new = new
    fileDifference = difference(old.name.fileID, new.name.fileID, at: 0)
  }

  /// Makes the slot one for its new place, which is in the buffer already; leaves alone what is not
  /// the slot that the entry names.
  mutating func restamp(
    _ bytes: inout [UInt8], at start: Int, _ entry: RecordEntry, to moved: RecordEntry
  ) {
    guard bytes.count - start >= SlotHeader.size else { return }
    // 32 bytes are there, as was just checked, and any bytes are integers.
    unsafe bytes.withUnsafeMutableBytes { bytes in
      func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Value {
        Value(
          littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: start + offset, as: Value.self))
      }
      func store<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, _ offset: Int) {
        unsafe bytes.storeBytes(
          of: value.littleEndian, toByteOffset: start + offset, as: Value.self)
      }
      guard load(16) == entry.sequence, load(4) == UInt32(entry.payloadLength) else { return }
      let capacity: UInt32 = load(0)
      let place =
        fileDifference ^ difference(entry.offset, moved.offset, at: 8)
        ^ shift(capacity ^ moved.capacity, by: Self.coveredSize - 16)
      let crc = shift(place, by: entry.payloadLength)
      let check = place ^ shift(crc, by: Self.coveredSize - 28)
      store(moved.capacity, 0)
      store(load(SlotHeader.flagsOffset) & ~SlotFlags.retiredBit, SlotHeader.flagsOffset)
      store(load(10) ^ UInt16(truncatingIfNeeded: check), 10)
      store(load(12) ^ crc, 12)
    }
  }

  /// What two numbers at an offset of the covered bytes make different at their end.
  private mutating func difference(_ left: UInt64, _ right: UInt64, at offset: Int) -> UInt32 {
    let rest = Self.coveredSize - offset
    let bits = left ^ right
    return shift(UInt32(truncatingIfNeeded: bits), by: rest)
      ^ shift(UInt32(truncatingIfNeeded: bits >> 32), by: rest - 4)
  }
}
