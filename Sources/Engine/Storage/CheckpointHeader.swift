/// The first 64 bytes of a checkpoint file.
///
///     header := magic "NYRC", format u32, generation u64, collectionID u8[16],
///               directoryOffset u64, directorySize u32, flags u32 (bit 0 sealed),
///               directoryCRC u32, zero u8[8], crc u32 over the 60 bytes before
///
/// The chunks follow, and behind them the directory.
struct CheckpointHeader: Equatable, Sendable {
  static let size = 64
  static let magic: UInt32 = 0x4352_594E
  static let format: UInt32 = 1

  var generation: UInt64
  var collectionID: [UInt8]
  var directoryOffset: UInt64
  var directorySize: UInt32
  var isSealed: Bool

  /// The checksum of the directory as stored.
  var directoryCRC: UInt32

  init(
    generation: UInt64, collectionID: [UInt8], directoryOffset: UInt64, directorySize: UInt32,
    isSealed: Bool, directoryCRC: UInt32
  ) {
    self.generation = generation
    self.collectionID = collectionID
    self.directoryOffset = directoryOffset
    self.directorySize = directorySize
    self.isSealed = isSealed
    self.directoryCRC = directoryCRC
  }

  init(_ bytes: Span<UInt8>) throws(FormatError) {
    guard bytes.count >= Self.size else { throw .truncated }
    var reader = ByteReader(bytes.extracting(0..<Self.size))
    let magic = try reader.readUInt32()
    let format = try reader.readUInt32()
    generation = try reader.readUInt64()
    collectionID = try reader.readBytes(16)
    directoryOffset = try reader.readUInt64()
    directorySize = try reader.readUInt32()
    let flags = try reader.readUInt32()
    directoryCRC = try reader.readUInt32()
    let zero = try reader.readUInt64()
    guard try reader.readUInt32() == Checksum.of(bytes.extracting(0..<60)) else {
      throw .checksumMismatch
    }
    guard magic == Self.magic, zero == 0 else { throw .invalid("not a checkpoint") }
    guard format == Self.format, flags <= 1 else {
      throw .unsupported("checkpoint format \(format), flags \(flags)")
    }
    isSealed = flags == 1
  }

  func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.write(Self.magic)
    writer.write(Self.format)
    writer.write(generation)
    writer.write(collectionID)
    writer.write(directoryOffset)
    writer.write(directorySize)
    writer.write(UInt32(isSealed ? 1 : 0))
    writer.write(directoryCRC)
    writer.write(UInt64(0))
    writer.write(Checksum.of(writer.bytes.span))
    return writer.finish()
  }
}
