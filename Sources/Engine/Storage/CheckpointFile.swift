/// Writes a checkpoint into a new file: header, chunks, directory.
///
/// The caller syncs the file and its directory.
struct CheckpointWriter {
  /// Bytes of a chunk before sealing, about: small enough to be loaded when touched.
  private static let chunkSize = 64 << 10

  /// Entries take two to six bytes.
  private static let changesPerChunk = 16 << 10

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
    buffer.reserveCapacity(Self.bufferSize + 2 * Self.chunkSize)
  }

  private mutating func writeChunks(of checkpoint: Checkpoint) throws(StorageError) {
    let image = checkpoint.image
    directory.nextSequence = checkpoint.nextSequence
    directory.markerFloor = image.markerFloor
    directory.liveCount = image.liveCount
    directory.liveSize = image.liveSize
    directory.handleLimit = image.table.handleLimit
    directory.shards = checkpoint.shards
    directory.indexes = checkpoint.indexes

    try writeTable(image.table)
    try writePairs(image.ids, .ids, 0)
    for (number, index) in image.indexes.enumerated() { try writePairs(index, .index, number) }
    try writeChanges(image.changes, image.table)
    try writeSlots(checkpoint.activeFree, .activeFree)
    try writeSlots(checkpoint.free, .free)
    try writeSlots(checkpoint.retire, .retire)
  }

  private mutating func writeTable(_ table: RecordTable) throws(StorageError) {
    let step = Self.chunkSize / TableChunk.entrySize
    for first in stride(from: 0, to: table.handleLimit, by: step) {
      let count = min(step, table.handleLimit - first)
      try add(
        .table, firstKey: UInt64(first).bigEndianBytes, count: count,
        TableChunk.encode(table, from: first, count: count))
    }
  }

  private mutating func writePairs(
    _ index: OrderedIndex, _ structure: CheckpointDirectory.Structure, _ number: Int
  ) throws(StorageError) {
    var cursor = index.cursor()
    while let chunk = PairChunk.encode(&cursor, upTo: Self.chunkSize) {
      try add(structure, number, firstKey: chunk.firstKey, count: chunk.count, chunk.bytes)
    }
  }

  private mutating func writeChanges(
    _ changes: ChangeIndex, _ table: RecordTable
  ) throws(StorageError) {
    var last: UInt64 = 0
    while true {
      let entries = changes.entries(after: last, in: table, limit: Self.changesPerChunk)
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
    let step = Self.chunkSize / 16
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

/// Reads a checkpoint file whole, and believes nothing that it says.
struct CheckpointReader {
  private let file: any File
  private let codec: PayloadCodec
  private let directory: CheckpointDirectory
  private let generation: UInt64

  static func read(
    _ file: any File, generation: UInt64, codec: PayloadCodec, collectionID: [UInt8]
  ) throws(CheckpointFailure) -> Checkpoint {
    let reader = try CheckpointReader(
      file, generation: generation, codec: codec, collectionID: collectionID)
    return try reader.read()
  }

  private init(
    _ file: any File, generation: UInt64, codec: PayloadCodec, collectionID: [UInt8]
  ) throws(CheckpointFailure) {
    self.file = file
    self.codec = codec
    self.generation = generation
    let header = try Self.header(
      file, generation: generation, codec: codec, collectionID: collectionID)
    let stored = try file.reading(Int(header.directorySize), at: header.directoryOffset)
    guard Checksum.of(stored.span) == header.directoryCRC else {
      throw .format(.checksumMismatch)
    }
    do throws(FormatError) {
      let place = PayloadCodec.ChunkPlace(generation: generation, number: .max)
      let bytes = try codec.loadChunk(stored.span, place: place)
      directory = try CheckpointDirectory(bytes.span)
    } catch {
      throw .format(error)
    }
  }

  private static func header(
    _ file: any File, generation: UInt64, codec: PayloadCodec, collectionID: [UInt8]
  ) throws(CheckpointFailure) -> CheckpointHeader {
    let bytes = try file.reading(CheckpointHeader.size, at: 0)
    let fileSize: UInt64
    do { fileSize = try file.size() } catch { throw .io(error) }
    let header: CheckpointHeader
    do { header = try CheckpointHeader(bytes.span) } catch { throw .format(error) }
    guard header.generation == generation, header.collectionID == collectionID,
      header.isSealed == codec.isSealing
    else { throw .format(.invalid("another collection's or generation's checkpoint")) }
    guard header.directorySize <= CheckpointDirectory.sizeLimit,
      header.directoryOffset <= fileSize,
      UInt64(header.directorySize) <= fileSize - header.directoryOffset
    else { throw .format(.lengthOutOfRange(UInt64(header.directorySize))) }
    return header
  }

  private func read() throws(CheckpointFailure) -> Checkpoint {
    let numbers = Set(directory.shards.map(\.number))
    guard numbers.count == directory.shards.count else {
      throw .format(.invalid("two shards with one number"))
    }
    var parts = CheckpointParts(directory: directory, shards: numbers)
    for (number, chunk) in directory.chunks.enumerated() {
      let stored = try file.reading(chunk.size, at: chunk.offset)
      do throws(FormatError) {
        guard Checksum.of(stored.span) == chunk.crc else { throw .checksumMismatch }
        let place = PayloadCodec.ChunkPlace(generation: generation, number: UInt64(number))
        let bytes = try codec.loadChunk(stored.span, place: place)
        try parts.add(chunk, bytes.span)
      } catch {
        throw .format(error)
      }
    }
    do { return try parts.finish(generation: generation) } catch { throw .format(error) }
  }
}

/// Why a checkpoint does not count.
enum CheckpointFailure: Error, Equatable {
  case io(IOError)
  case format(FormatError)
}

/// The structures of a checkpoint while its chunks come in.
private struct CheckpointParts {
  private let directory: CheckpointDirectory
  private let shards: Set<Int>
  private var image: StoreImage
  private var slots: [CheckpointDirectory.Structure: [FreeSlot]] = [:]
  private var builders: [OrderedIndex.Builder]
  private var lastPairs: [OrderedIndex.Pair?]
  private var lastChange: UInt64 = 0

  init(directory: CheckpointDirectory, shards: Set<Int>) {
    self.directory = directory
    self.shards = shards
    image = StoreImage(indexCount: directory.indexes.count)
    builders = Array(repeating: OrderedIndex.Builder(), count: directory.indexes.count + 1)
    lastPairs = Array(repeating: nil, count: directory.indexes.count + 1)
  }

  mutating func add(
    _ chunk: CheckpointDirectory.Chunk, _ bytes: Span<UInt8>
  ) throws(FormatError) {
    switch chunk.structure {
    case .table:
      try TableChunk.decode(bytes, count: chunk.count, shards: shards, into: &image.table)
    case .ids:
      try addPairs(chunk, bytes, to: 0)
    case .index:
      guard chunk.index < directory.indexes.count else {
        throw .lengthOutOfRange(UInt64(chunk.index))
      }
      try addPairs(chunk, bytes, to: chunk.index + 1)
    case .changes:
      try ChangeChunk.decode(
        bytes, count: chunk.count, handleLimit: directory.handleLimit, last: &lastChange,
        into: &image.changes)
    case .activeFree, .free, .retire:
      var part = slots.removeValue(forKey: chunk.structure) ?? []
      try SlotChunk.decode(bytes, count: chunk.count, shards: shards, into: &part)
      slots[chunk.structure] = part
    }
  }

  private mutating func addPairs(
    _ chunk: CheckpointDirectory.Chunk, _ bytes: Span<UInt8>, to number: Int
  ) throws(FormatError) {
    try PairChunk.decode(
      bytes, count: chunk.count, handleLimit: directory.handleLimit, last: &lastPairs[number],
      into: &builders[number])
  }

  mutating func finish(generation: UInt64) throws(FormatError) -> Checkpoint {
    image.ids = builders[0].finish()
    for index in image.indexes.indices { image.indexes[index] = builders[index + 1].finish() }
    image.lastSequence = directory.nextSequence - 1
    image.markerFloor = directory.markerFloor
    image.liveCount = directory.liveCount
    image.liveSize = directory.liveSize
    guard image.table.handleLimit == directory.handleLimit, lastChange <= image.lastSequence,
      image.isConsistent
    else { throw .invalid("structures that do not agree") }
    return Checkpoint(
      generation: generation, image: image, nextSequence: directory.nextSequence,
      indexes: directory.indexes,
      shards: directory.shards, activeFree: slots[.activeFree] ?? [], free: slots[.free] ?? [],
      retire: slots[.retire] ?? [])
  }
}

extension UInt64 {
  fileprivate var bigEndianBytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * UInt64($0))) }
  }
}

extension File {
  fileprivate func reading(
    _ count: Int, at offset: UInt64
  ) throws(CheckpointFailure) -> [UInt8] {
    let bytes: [UInt8]
    do { bytes = try read(count, at: offset) } catch { throw .io(error) }
    guard bytes.count == count else { throw .format(.truncated) }
    return bytes
  }
}
