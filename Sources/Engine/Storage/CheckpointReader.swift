/// Opens a checkpoint file, and believes nothing that it says.
///
/// Header and directory are read at once, and the active free slots, which are few. The table and
/// the indexes are read part by part when they are touched, and the other lists of slots when they
/// are needed, so opening takes the same time whatever the count of records.
struct CheckpointReader {
  private let directory: CheckpointDirectory
  private let source: CheckpointSource
  private let shards: Set<Int>
  private var image: StoreImage
  private var part = 0

  static func open(
    _ file: any File, generation: UInt64, codec: PayloadCodec, collectionID: [UInt8]
  ) throws(CheckpointFailure) -> Checkpoint {
    let header = try header(
      file, generation: generation, codec: codec, collectionID: collectionID)
    let stored = try file.reading(Int(header.directorySize), at: header.directoryOffset)
    guard Checksum.of(stored.span) == header.directoryCRC else {
      throw .format(.checksumMismatch)
    }
    let opened: CheckpointReader
    do throws(FormatError) {
      let place = PayloadCodec.ChunkPlace(generation: generation, number: .max)
      let bytes = try codec.loadChunk(stored.span, place: place)
      let directory = try CheckpointDirectory(bytes.span)
      let partCount = directory.chunks.reduce(0) { $0 + $1.structure.partCount }
      let source = CheckpointSource(
        directory, partCount: partCount, file: file, codec: codec, generation: generation)
      var reader = try CheckpointReader(source)
      try reader.addStructures(partCount: partCount)
      opened = reader
    } catch {
      throw .format(error)
    }
    return try opened.checkpoint(generation: generation)
  }

  /// Reads every part, and compares them with each other.
  static func verify(
    _ file: any File, generation: UInt64, codec: PayloadCodec, collectionID: [UInt8]
  ) throws(CheckpointFailure) {
    let checkpoint = try open(
      file, generation: generation, codec: codec, collectionID: collectionID)
    for list in [checkpoint.free, checkpoint.retire] { _ = list.content }
    var image = checkpoint.image
    image.loadAll()
    guard image.origin?.failure == nil, image.isConsistent else {
      throw .format(.invalid("structures that do not agree"))
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

  private init(_ source: CheckpointSource) throws(FormatError) {
    self.source = source
    directory = source.directory
    shards = Set(directory.shards.map(\.number))
    image = StoreImage(indexCount: directory.indexes.count)
    guard shards.count == directory.shards.count else {
      throw .invalid("two shards with one number")
    }
  }

  private mutating func addStructures(partCount: Int) throws(FormatError) {
    let chunks = ChunkLists(directory.chunks)
    try addTable(chunks[.table, 0] + chunks[.packedTable, 0])
    image.ids = try index(chunks[.ids, 0])
    for number in image.indexes.indices {
      image.indexes[number] = try index(chunks[.index, number])
    }
    try addChanges(chunks[.changes, 0])
    guard part == partCount, image.ids.count == image.changes.count,
      image.ids.count <= directory.handleLimit, directory.liveCount <= image.ids.count,
      image.indexes.allSatisfy({ $0.count <= directory.liveCount })
    else { throw .invalid("structures that do not agree") }
    image.looksUpInParts = true
    image.table.restore(count: image.ids.count, firstFree: directory.firstFree)
    image.lastSequence = directory.nextSequence - 1
    image.markerFloor = directory.markerFloor
    image.liveCount = directory.liveCount
    image.liveSize = directory.liveSize
    image.origin = source
  }

  private func checkpoint(generation: UInt64) throws(CheckpointFailure) -> Checkpoint {
    let chunks = ChunkLists(directory.chunks)
    return Checkpoint(
      generation: generation, image: image, nextSequence: directory.nextSequence,
      indexes: directory.indexes, shards: directory.shards,
      activeFree: try slots(chunks[.activeFree, 0]), free: source.list(chunks[.free, 0], shards),
      retire: source.list(chunks[.retire, 0], shards))
  }
}

/// The structures, chunk by chunk.
extension CheckpointReader {
  private mutating func nextPart() -> Int {
    defer { part += 1 }
    return part
  }

  private mutating func addTable(_ chunks: [NumberedChunk]) throws(FormatError) {
    let (shards, handleLimit) = (shards, directory.handleLimit)
    for (number, chunk) in chunks {
      let first = image.table.handleLimit
      let count = min(RecordTable.partCount, handleLimit - first)
      guard chunk.count == count, count > 0, chunk.firstNumber == UInt64(first) else {
        throw .invalid("a chunk of the record table")
      }
      let part = source.part(
        nextPart(), chunk: number,
        standIn: { ChunkedArray.leaves(Array(repeating: .free(next: 0), count: count)) },
        { bytes throws(FormatError) in
          chunk.structure == .table
            ? try TableChunk.decode(bytes, count: count, shards: shards, handleLimit: handleLimit)
            : try PackedTableChunk.decode(
              bytes, from: first, count: count, shards: shards, handleLimit: handleLimit)
        })
      image.table.append(part, count: count)
    }
    guard image.table.handleLimit == handleLimit else { throw .truncated }
  }

  private mutating func index(_ chunks: [NumberedChunk]) throws(FormatError) -> OrderedIndex {
    var index = OrderedIndex()
    let handleLimit = directory.handleLimit
    for (place, (number, chunk)) in chunks.enumerated() {
      let next = place + 1 < chunks.count ? chunks[place + 1].chunk.firstPair : nil
      guard let first = chunk.firstPair, chunk.count > 0, next.map(first.isBefore) ?? true else {
        throw .invalid("a chunk of an index")
      }
      let count = chunk.count
      let part = source.part(
        nextPart(), chunk: number, standIn: { OrderedIndex.Group(standIn: first, count: count) },
        { bytes throws(FormatError) in
          try PairChunk.decode(
            bytes, count: count, handleLimit: handleLimit, first: first, next: next)
        })
      index.append(part, count: count, first: first)
    }
    return index
  }

  private mutating func addChanges(_ chunks: [NumberedChunk]) throws(FormatError) {
    let handleLimit = directory.handleLimit
    for (place, (number, chunk)) in chunks.enumerated() {
      let isLast = place + 1 == chunks.count
      let next = isLast ? directory.nextSequence : chunks[place + 1].chunk.firstNumber ?? 0
      let count = chunk.count
      guard let first = chunk.firstNumber, first > 0, first < next, count > 0, handleLimit > 0,
        count == ChangeIndex.partCount || (isLast && count < ChangeIndex.partCount)
      else { throw .invalid("a chunk of the change index") }
      let decode = { @Sendable (bytes: Span<UInt8>) throws(FormatError) in
        try ChangeChunk.decode(
          bytes, count: count, handleLimit: handleLimit, first: first, next: next)
      }
      let sequences = source.part(
        nextPart(), chunk: number,
        standIn: { ChunkedArray.leaves(Array(repeating: first, count: count)) },
        { bytes throws(FormatError) in try decode(bytes).sequences })
      let handles = source.part(
        nextPart(), chunk: number,
        standIn: { ChunkedArray.leaves(Array(repeating: 0, count: count)) },
        { bytes throws(FormatError) in try decode(bytes).handles })
      image.changes.append(sequences: sequences, handles: handles, count: count, first: first)
    }
  }

  private func slots(_ chunks: [NumberedChunk]) throws(CheckpointFailure) -> [FreeSlot] {
    var slots: [FreeSlot] = []
    for (number, chunk) in chunks {
      try source.readSlots(number, count: chunk.count, shards, into: &slots)
    }
    return slots
  }
}

/// A chunk and its place in the directory.
private typealias NumberedChunk = (number: Int, chunk: CheckpointDirectory.Chunk)

/// Chunks by what they hold.
private struct ChunkLists {
  /// In the order of the file, but all of one structure together.
  private var chunks: [NumberedChunk]

  init(_ chunks: [CheckpointDirectory.Chunk]) {
    self.chunks = chunks.enumerated().map { ($0.offset, $0.element) }
    let isOrdered = zip(chunks, chunks.dropFirst()).allSatisfy { Self.key($0) <= Self.key($1) }
    guard !isOrdered else { return }
    self.chunks.sort { left, right in
      let (leftKey, rightKey) = (Self.key(left.chunk), Self.key(right.chunk))
      return leftKey != rightKey ? leftKey < rightKey : left.number < right.number
    }
  }

  subscript(structure: CheckpointDirectory.Structure, index: Int) -> [NumberedChunk] {
    let key = Self.key(structure, index)
    return Array(chunks.drop { Self.key($0.chunk) < key }.prefix { Self.key($0.chunk) == key })
  }

  private static func key(_ chunk: CheckpointDirectory.Chunk) -> Int {
    key(chunk.structure, chunk.index)
  }

  private static func key(_ structure: CheckpointDirectory.Structure, _ index: Int) -> Int {
    Int(structure.rawValue) << 32 | index
  }
}

extension CheckpointSource {
  /// Slots in some chunks, read when they are needed.
  fileprivate func list(_ chunks: [NumberedChunk], _ shards: Set<Int>) -> LazyPart<[FreeSlot]> {
    if chunks.isEmpty { return LazyPart([]) }
    return LazyPart { [self] in
      var slots: [FreeSlot] = []
      for (number, chunk) in chunks {
        do throws(CheckpointFailure) {
          try readSlots(number, count: chunk.count, shards, into: &slots)
        } catch {
          note(error, chunk: number)
          return .standIn([])
        }
      }
      return .content(slots)
    }
  }

  fileprivate func readSlots(
    _ number: Int, count: Int, _ shards: Set<Int>, into slots: inout [FreeSlot]
  ) throws(CheckpointFailure) {
    let bytes = try read(number)
    do throws(FormatError) {
      try SlotChunk.decode(bytes.span, count: count, shards: shards, into: &slots)
    } catch {
      throw .format(error)
    }
  }
}

extension CheckpointDirectory.Structure {
  /// Parts that are read one by one.
  fileprivate var partCount: Int {
    switch self {
    case .table, .packedTable, .ids, .index: 1
    case .changes: 2
    case .activeFree, .free, .retire: 0
    }
  }
}

extension CheckpointDirectory.Chunk {
  fileprivate var firstNumber: UInt64? {
    firstKey.count == 8 ? firstKey.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : nil
  }

  fileprivate var firstPair: OrderedIndex.Pair? { OrderedIndex.Pair(chunkKey: firstKey) }
}
