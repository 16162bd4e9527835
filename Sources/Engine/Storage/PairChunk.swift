/// Pairs of an index, as they lie in a chunk: some of its runs, one after the other.
///
/// A chunk is read as one group of an ``OrderedIndex``, so it has no more runs than such a group.
struct PairChunk {
  /// Bytes of a chunk before sealing, about: small enough to be read when touched.
  static let sizeLimit = 64 << 10

  private(set) var count = 0
  private(set) var first: OrderedIndex.Pair?
  private var runCount = 0
  private var writer = ByteWriter(capacity: sizeLimit + OrderedIndex.runSizeLimit)

  var isFull: Bool {
    writer.count >= Self.sizeLimit || runCount >= OrderedIndex.groupCountLimit * 3 / 4
  }

  mutating func append(_ run: KeyRun) {
    if first == nil { first = run.pair(at: 0) }
    run.encode(into: &writer)
    runCount += 1
    count += run.count
  }

  consuming func finish() -> [UInt8] { writer.finish() }

  /// The first pair has to be `first`, and if chunks follow, all before `next`.
  static func decode(
    _ bytes: Span<UInt8>, count: Int, handleLimit: Int, first: OrderedIndex.Pair,
    next: OrderedIndex.Pair?
  ) throws(FormatError) -> OrderedIndex.Group {
    var reader = ByteReader(bytes)
    var runs: [KeyRun] = []
    var last: OrderedIndex.Pair?
    while reader.remaining > 0 {
      let run = try KeyRun(from: &reader, handleLimit: handleLimit)
      let pair = run.pair(at: 0)
      guard last.map({ $0.isBefore(pair) }) ?? (pair == first) else {
        throw .invalid("pairs out of order")
      }
      last = run.pair(at: run.count - 1)
      runs.append(run)
    }
    guard let last, next.map(last.isBefore) ?? true else { throw .invalid("pairs out of order") }
    let group = OrderedIndex.Group(runs)
    guard group.count == count else { throw .lengthOutOfRange(UInt64(group.count)) }
    return group
  }
}

extension OrderedIndex.Pair {
  /// The pair as the directory has it.
  var chunkKey: [UInt8] {
    key + (0..<4).map { UInt8(truncatingIfNeeded: handle >> (24 - 8 * UInt32($0))) }
  }

  init?(chunkKey: [UInt8]) {
    guard chunkKey.count >= 4, chunkKey.count <= OrderedIndex.keySizeLimit + 4 else { return nil }
    let handle = chunkKey.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    self.init(Array(chunkKey.dropLast(4)), handle)
  }
}
