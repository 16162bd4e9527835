/// What a collection remembers apart from its slots: one of two cells in the file `head`.
///
///     cell := magic "NYRH", flags u32 (bit 0 closed, bit 1 retired), count u64, durable u64,
///             reserved u64, generation u64, bootID u64, markerFloor u64, zero u32, crc u32
///
/// A cell has 64 bytes, so it lies in one sector. The checksum covers the collectionID, the
/// cell's offset and the 60 bytes before it.
package struct HeadCell: Equatable, Sendable {
  package static let size = 64
  package static let offsets: [UInt64] = [0, 4096]
  package static let magic: UInt32 = 0x4852_594E

  private static let closedBit: UInt32 = 1
  private static let retiredBit: UInt32 = 2

  /// The cell with the higher count is the newer one.
  package var count: UInt64 = 0

  /// Everything up to this sequence is durable.
  package var durable: UInt64 = 0

  /// No sequence beyond this one was given out.
  package var reserved: UInt64 = 0

  /// The checkpoint that counts is this one or a newer one.
  package var generation: UInt64 = 0

  /// The run of the kernel in which the cell was written.
  package var bootID: UInt64 = 0

  /// Deletions up to this sequence may be forgotten.
  package var markerFloor: UInt64 = 0

  /// Everything is durable, and nobody writes.
  package var isClosed = false

  /// The slots that the checkpoint of this generation lists as to be retired are.
  package var hasRetired = false

  package init() {}

  package init(
    _ bytes: Span<UInt8>, cell: Int, collectionID: [UInt8]
  ) throws(FormatError) {
    guard bytes.count >= Self.size else { throw .truncated }
    var reader = ByteReader(bytes.extracting(0..<Self.size))
    let magic = try reader.readUInt32()
    let flags = try reader.readUInt32()
    count = try reader.readUInt64()
    durable = try reader.readUInt64()
    reserved = try reader.readUInt64()
    generation = try reader.readUInt64()
    bootID = try reader.readUInt64()
    markerFloor = try reader.readUInt64()
    let zero = try reader.readUInt32()
    let expected = Self.checksum(bytes.extracting(0..<60), cell: cell, collectionID: collectionID)
    guard try reader.readUInt32() == expected else { throw .checksumMismatch }
    guard magic == Self.magic, zero == 0 else { throw .invalid("not a head cell") }
    guard flags <= 3 else { throw .unsupported("head flags \(flags)") }
    guard max(count, durable, reserved, generation) < UInt64(Int64.max) else {
      throw .invalid("a number beyond 63 bits")
    }
    isClosed = flags & Self.closedBit != 0
    hasRetired = flags & Self.retiredBit != 0
  }

  package func encode(cell: Int, collectionID: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.write(Self.magic)
    writer.write((isClosed ? Self.closedBit : 0) | (hasRetired ? Self.retiredBit : 0))
    writer.write(count)
    writer.write(durable)
    writer.write(reserved)
    writer.write(generation)
    writer.write(bootID)
    writer.write(markerFloor)
    writer.write(UInt32(0))
    writer.write(Self.checksum(writer.bytes.span, cell: cell, collectionID: collectionID))
    return writer.finish()
  }

  private static func checksum(
    _ bytes: Span<UInt8>, cell: Int, collectionID: [UInt8]
  ) -> UInt32 {
    var place = ByteWriter(capacity: 24)
    place.write(collectionID)
    place.write(offsets[cell])
    var checksum = Checksum()
    checksum.update(place.bytes.span)
    checksum.update(bytes)
    return checksum.value
  }
}
