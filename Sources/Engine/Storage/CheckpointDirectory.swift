/// What a checkpoint says of itself: its numbers, shards and indexes, and where its chunks are.
///
///     directory  := nextSequence u64, markerFloor u64, liveCount varint, liveSize varint,
///                   handleLimit varint, firstFree varint, shards, indexes, chunks
///     shards     := count varint, count × (partition, fileID u64, number varint, length varint,
///                   liveSize varint)
///     indexes    := count varint, count × path
///     chunks     := count varint, count × (structure u8, index varint, first key, count varint,
///                   offset varint, size varint, crc u32)
///
/// Texts and keys are a varint length and their bytes. A chunk's first key is that of its first
/// element: the handle or sequence as a big-endian u64, or the key bytes and the handle as a
/// big-endian u32. So a reader finds the chunk of any element without the chunks before it.
package struct CheckpointDirectory: Equatable, Sendable {
  /// What a chunk holds a part of.
  enum Structure: UInt8, Sendable {
    /// Entries of the record table, by handle.
    case table = 0

    /// Pairs of the id index.
    case ids = 1

    /// Pairs of one secondary index.
    case index = 2

    /// Sequences and handles of the change index.
    case changes = 3

    /// Free slots that may be used before the next checkpoint.
    case activeFree = 4

    /// The other free slots.
    case free = 5

    /// Slots that are to be retired once this checkpoint counts.
    case retire = 6

    /// Entries of the record table, by handle, in less space; takes the place of `table`.
    case packedTable = 7
  }

  /// A shard as the checkpoint knows it.
  struct ShardEntry: Equatable, Sendable {
    var partition: String
    var fileID: UInt64
    var number: Int

    /// What lies behind this was written after the checkpoint.
    var length: UInt64
    var liveSize: UInt64
  }

  /// Where a part of a structure is.
  struct Chunk: Equatable, Sendable {
    var structure: Structure
    var index: Int
    var firstKey: [UInt8]
    var count: Int
    var offset: UInt64
    var size: Int

    /// The checksum of the bytes as stored.
    var crc: UInt32
  }

  static let sizeLimit = 256 << 20
  static let indexCountLimit = 1_024
  static let textSizeLimit = 64 << 10
  static let chunkSizeLimit = 16 << 20

  var nextSequence: UInt64 = 1
  var markerFloor: UInt64 = 0
  var liveCount = 0
  var liveSize: UInt64 = 0
  var handleLimit = 0

  /// The first handle that is free and one more, or 0.
  var firstFree: UInt64 = 0
  var shards: [ShardEntry] = []
  var indexes: [IndexDefinition] = []
  var chunks: [Chunk] = []

  init() {}

  package init(_ bytes: Span<UInt8>) throws(FormatError) {
    var reader = ByteReader(bytes)
    nextSequence = try reader.readUInt64()
    markerFloor = try reader.readUInt64()
    guard nextSequence > 0, nextSequence < UInt64(Int64.max) else {
      throw .lengthOutOfRange(nextSequence)
    }
    liveCount = try Self.count(&reader, limit: Int(UInt32.max))
    liveSize = try reader.readVarint()
    handleLimit = try Self.count(&reader, limit: Int(UInt32.max))
    firstFree = UInt64(try Self.count(&reader, limit: handleLimit))
    for _ in 0..<(try Self.count(&reader, limit: RecordEntry.shardLimit)) {
      shards.append(try ShardEntry(from: &reader))
    }
    for _ in 0..<(try Self.count(&reader, limit: Self.indexCountLimit)) {
      indexes.append(IndexDefinition(path: try Self.text(&reader)))
    }
    // A chunk takes at least ten bytes, so the bytes that remain bound the count.
    for _ in 0..<(try Self.count(&reader, limit: reader.remaining)) {
      chunks.append(try Chunk(from: &reader))
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the directory") }
  }

  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(nextSequence)
    writer.write(markerFloor)
    writer.writeVarint(UInt64(liveCount))
    writer.writeVarint(liveSize)
    writer.writeVarint(UInt64(handleLimit))
    writer.writeVarint(firstFree)
    writer.writeVarint(UInt64(shards.count))
    for shard in shards {
      writer.writeLengthPrefixed(Array(shard.partition.utf8))
      writer.write(shard.fileID)
      writer.writeVarint(UInt64(shard.number))
      writer.writeVarint(shard.length)
      writer.writeVarint(shard.liveSize)
    }
    writer.writeVarint(UInt64(indexes.count))
    for index in indexes { writer.writeLengthPrefixed(Array(index.path.utf8)) }
    writer.writeVarint(UInt64(chunks.count))
    for chunk in chunks {
      writer.write(chunk.structure.rawValue)
      writer.writeVarint(UInt64(chunk.index))
      writer.writeLengthPrefixed(chunk.firstKey)
      writer.writeVarint(UInt64(chunk.count))
      writer.writeVarint(chunk.offset)
      writer.writeVarint(UInt64(chunk.size))
      writer.write(chunk.crc)
    }
    return writer.finish()
  }

  fileprivate static func count(
    _ reader: inout ByteReader, limit: Int
  ) throws(FormatError) -> Int {
    let count = try reader.readVarint()
    guard count <= UInt64(limit) else { throw .lengthOutOfRange(count) }
    return Int(count)
  }

  fileprivate static func text(_ reader: inout ByteReader) throws(FormatError) -> String {
    let bytes = try reader.readBytes(try reader.readLength(limit: Self.textSizeLimit))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalid("a text that is not UTF-8")
    }
    return text
  }
}

extension CheckpointDirectory.ShardEntry {
  fileprivate init(from reader: inout ByteReader) throws(FormatError) {
    partition = try CheckpointDirectory.text(&reader)
    fileID = try reader.readUInt64()
    number = try CheckpointDirectory.count(&reader, limit: RecordEntry.shardLimit - 1)
    length = try reader.readVarint()
    liveSize = try reader.readVarint()
    guard length % UInt64(SlotHeader.alignment) == 0, length < RecordEntry.offsetLimit else {
      throw .lengthOutOfRange(length)
    }
  }
}

extension CheckpointDirectory.Chunk {
  fileprivate init(from reader: inout ByteReader) throws(FormatError) {
    let byte = try reader.readUInt8()
    guard let structure = CheckpointDirectory.Structure(rawValue: byte) else {
      throw .unsupported("checkpoint structure \(byte)")
    }
    self.structure = structure
    index = try CheckpointDirectory.count(
      &reader, limit: CheckpointDirectory.indexCountLimit - 1)
    firstKey = try reader.readBytes(try reader.readLength())
    count = try CheckpointDirectory.count(&reader, limit: Int(UInt32.max))
    offset = try reader.readVarint()
    size = try CheckpointDirectory.count(&reader, limit: CheckpointDirectory.chunkSizeLimit)
    crc = try reader.readUInt32()
  }
}
