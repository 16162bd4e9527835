/// Pairs of an index, as they lie in a chunk.
///
///     pairs := count × (shared varint, rest length varint, rest, handle varint)
///
/// A key begins with the first `shared` bytes of the key before, in the first pair none. A chunk
/// is read as one group of an ``OrderedIndex``, so it has no more than such a group may take.
enum PairChunk {
  /// Bytes of a chunk before sealing, about: small enough to be read when touched.
  static let sizeLimit = 64 << 10

  private static let countLimit = 8 << 10

  /// Bytes of a chunk's keys, about.
  private static let keySizeLimit = 512 << 10

  static func encode(
    _ cursor: inout OrderedIndex.Cursor
  ) -> (bytes: [UInt8], firstKey: [UInt8], count: Int)? {
    var writer = ByteWriter(capacity: sizeLimit + 1_024)
    var previous: [UInt8] = []
    var key: [UInt8] = []
    var firstKey: [UInt8] = []
    var (count, keySize) = (0, 0)
    while writer.count < sizeLimit, count < countLimit, keySize < keySizeLimit,
      let handle = cursor.next()
    {
      key.removeAll(keepingCapacity: true)
      cursor.appendKey(to: &key)
      let shared = ByteOrder.commonPrefixCount(previous.span, key.span)
      writer.writeVarint(UInt64(shared))
      writer.writeVarint(UInt64(key.count - shared))
      writer.write(key[shared...])
      writer.writeVarint(UInt64(handle))
      if count == 0 { firstKey = OrderedIndex.Pair(key, handle).chunkKey }
      count += 1
      keySize += key.count
      swap(&previous, &key)
    }
    return count == 0 ? nil : (writer.finish(), firstKey, count)
  }

  /// The first pair has to be `first`, and if chunks follow, all before `next`.
  static func decode(
    _ bytes: Span<UInt8>, count: Int, handleLimit: Int, first: OrderedIndex.Pair,
    next: OrderedIndex.Pair?
  ) throws(FormatError) -> OrderedIndex.Group {
    var builder = OrderedIndex.Builder()
    var reader = ByteReader(bytes)
    var pair = OrderedIndex.Pair([], 0)
    for place in 0..<count {
      let shared = try reader.readVarint()
      guard shared <= UInt64(pair.key.count) else { throw .lengthOutOfRange(shared) }
      let length = try reader.readLength()
      let rest = bytes.extracting(reader.offset..<reader.offset + length)
      try reader.skip(length)
      let handle = try reader.readVarint()
      guard handle < UInt64(handleLimit), Int(shared) + length <= OrderedIndex.keySizeLimit else {
        throw .lengthOutOfRange(handle)
      }
      // The keys agree up to `shared`, so what follows decides.
      let order = ByteOrder.compare(
        pair.key.span, Int(shared)..<pair.key.count, rest, 0..<length)
      let isBehind = order < 0 || (order == 0 && pair.handle < UInt32(handle))
      guard isBehind || place == 0 else { throw .invalid("pairs out of order") }
      pair.key.removeLast(pair.key.count - Int(shared))
      pair.key.append(copying: rest)
      pair.handle = UInt32(handle)
      guard place > 0 || pair == first else { throw .invalid("another first pair") }
      builder.append(pair.key, pair.handle)
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the last pair") }
    if let next, !pair.isBefore(next) { throw .invalid("pairs out of order") }
    return builder.finishGroup()
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
