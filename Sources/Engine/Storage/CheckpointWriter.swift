/// Writes a checkpoint into a new file: header, chunks, directory.
///
/// The caller syncs the file and its directory.
struct CheckpointWriter {
  /// Bytes of a chunk of free slots before sealing, about.
  private static let slotChunkSize = 64 << 10

  /// Bytes that are collected for one write.
  private static let bufferSize = 1 << 20

  private let file: any File
  private let codec: PayloadCodec
  private let generation: UInt64
  private var directory = CheckpointDirectory()
  private var buffer: [UInt8]
  private var offset: UInt64 = 0

  /// - Returns: The size of the file.
  @discardableResult
  static func write(
    _ checkpoint: Checkpoint, into file: any File, codec: PayloadCodec, collectionID: [UInt8]
  ) throws(StorageError) -> UInt64 {
    var writer = CheckpointWriter(file: file, codec: codec, generation: checkpoint.generation)
    try writer.writeChunks(of: checkpoint)
    return try writer.finish(collectionID: collectionID)
  }

  private init(file: any File, codec: PayloadCodec, generation: UInt64) {
    self.file = file
    self.codec = codec
    self.generation = generation
    buffer = [UInt8](repeating: 0, count: CheckpointHeader.size)
    buffer.reserveCapacity(Self.bufferSize + PairChunk.sizeLimit)
  }

  private mutating func writeChunks(of checkpoint: Checkpoint) throws(StorageError) {
    let image = checkpoint.image
    directory.nextSequence = checkpoint.nextSequence
    directory.markerFloor = image.markerFloor
    directory.liveCount = image.liveCount
    directory.liveSize = image.liveSize
    directory.handleLimit = image.table.handleLimit
    directory.firstFree = image.table.firstFree
    directory.shards = checkpoint.shards
    directory.indexes = checkpoint.indexes

    try writeTable(image.table)
    try writePairs(image.ids, .ids, 0)
    for (number, index) in image.indexes.enumerated() { try writePairs(index, .index, number) }
    try writeChanges(image.changes, image.table)
    try writeSlots(checkpoint.activeFree, .activeFree)
    try writeSlots(checkpoint.free.content, .free)
    try writeSlots(checkpoint.retire.content, .retire)
  }

  private mutating func writeTable(_ table: RecordTable) throws(StorageError) {
    let step = RecordTable.partCount
    for first in stride(from: 0, to: table.handleLimit, by: step) {
      let count = min(step, table.handleLimit - first)
      try add(
        .packedTable, firstKey: UInt64(first).bigEndianBytes, count: count,
        PackedTableChunk.encode(table, from: first, count: count))
    }
  }

  private mutating func writePairs(
    _ index: OrderedIndex, _ structure: CheckpointDirectory.Structure, _ number: Int
  ) throws(StorageError) {
    var chunk = PairChunk()
    for group in index.groups {
      for run in group.loaded.runs {
        chunk.append(run)
        guard chunk.isFull else { continue }
        try add(structure, number, chunk)
        chunk = PairChunk()
      }
    }
    try add(structure, number, chunk)
  }

  private mutating func add(
    _ structure: CheckpointDirectory.Structure, _ number: Int, _ chunk: PairChunk
  ) throws(StorageError) {
    guard let first = chunk.first else { return }
    try add(
      structure, number, firstKey: first.chunkKey, count: chunk.count, chunk.finish())
  }

  private mutating func writeChanges(
    _ changes: ChangeIndex, _ table: RecordTable
  ) throws(StorageError) {
    var last: UInt64 = 0
    while true {
      let entries = changes.entries(after: last, in: table, limit: ChangeIndex.partCount)
      guard let first = entries.first, let end = entries.last else { return }
      try add(
        .changes, firstKey: first.sequence.bigEndianBytes, count: entries.count,
        ChangeChunk.encode(entries))
      last = end.sequence
    }
  }

  private mutating func writeSlots(
    _ slots: [FreeSlot], _ structure: CheckpointDirectory.Structure
  ) throws(StorageError) {
    let step = Self.slotChunkSize / 16
    for first in stride(from: 0, to: slots.count, by: step) {
      let part = slots[first..<min(slots.count, first + step)]
      try add(
        structure, firstKey: UInt64(first).bigEndianBytes, count: part.count,
        SlotChunk.encode(part))
    }
  }

  private mutating func add(
    _ structure: CheckpointDirectory.Structure, _ index: Int = 0, firstKey: [UInt8], count: Int,
    _ bytes: [UInt8]
  ) throws(StorageError) {
    let (size, crc) = try store(bytes, number: UInt64(directory.chunks.count))
    directory.chunks.append(
      CheckpointDirectory.Chunk(
        structure: structure, index: index, firstKey: firstKey, count: count,
        offset: offset + UInt64(buffer.count - size), size: size, crc: crc))
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Appends the bytes to the buffer as they are to be stored.
  private mutating func store(
    _ bytes: [UInt8], number: UInt64
  ) throws(StorageError) -> (size: Int, crc: UInt32) {
    let start = buffer.count
    let place = PayloadCodec.ChunkPlace(generation: generation, number: number)
    try codec.storeChunk(bytes, place: place, into: &buffer)
    let stored = buffer.span.extracting(start..<buffer.count)
    return (stored.count, Checksum.of(stored))
  }

  private mutating func flush() throws(StorageError) {
    do { try file.write(buffer.span, at: offset) } catch { throw .io(error) }
    offset += UInt64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func finish(collectionID: [UInt8]) throws(StorageError) -> UInt64 {
    let directoryOffset = offset + UInt64(buffer.count)
    let (size, crc) = try store(directory.encode(), number: .max)
    guard size <= CheckpointDirectory.sizeLimit else {
      throw .limit(name: "checkpointDirectory", limit: UInt64(CheckpointDirectory.sizeLimit))
    }
    let header = CheckpointHeader(
      generation: generation, collectionID: collectionID, directoryOffset: directoryOffset,
      directorySize: UInt32(size), isSealed: codec.isSealing, directoryCRC: crc)
    try flush()
    do { try file.write(header.encode().span, at: 0) } catch { throw .io(error) }
    return offset
  }
}

extension UInt64 {
  var bigEndianBytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * UInt64($0))) }
  }
}
