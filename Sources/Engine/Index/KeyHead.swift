/// The first seven bytes of a key behind what it shares with others, and how many there are, up to
/// 8: as a number, in the keys' order.
///
/// It decides most comparisons without a look at the keys.
struct KeyHead: Comparable, Sendable {
  private let bits: UInt64

  init(_ key: [UInt8], from start: Int) {
    var bits: UInt64 = 0
    for index in start..<start + 7 {
      bits = bits << 8 | (index < key.count ? UInt64(key[index]) : 0)
    }
    self.bits = bits << 8 | UInt64(min(key.count - start, 8))
  }

  /// Whether the key has nothing behind its head.
  var isWhole: Bool { bits & 0xFF < 8 }

  static func < (left: KeyHead, right: KeyHead) -> Bool { left.bits < right.bits }

  /// How many bytes all keys begin with.
  static func sharedCount(_ indices: Range<Int>, _ key: (Int) -> [UInt8]) -> Int {
    guard let index = indices.first else { return 0 }
    let first = key(index)
    var count = first.count
    for index in indices.dropFirst() where count > 0 {
      let other = key(index)
      count = ByteOrder.commonPrefixCount(first.span.extracting(0..<count), other.span)
    }
    return count
  }
}

extension OrderedIndex {
  /// The pairs in ascending order.
  static func sorted(_ pairs: [Pair]) -> [Pair] {
    let shared = KeyHead.sharedCount(pairs.indices) { pairs[$0].key }
    let heads = pairs.indices.map { index in
      (head: KeyHead(pairs[index].key, from: shared), index: index)
    }
    let order = heads.sorted { left, right in
      if left.head != right.head { return left.head < right.head }
      if left.head.isWhole { return pairs[left.index].handle < pairs[right.index].handle }
      return pairs[left.index].isBefore(pairs[right.index])
    }
    return order.map { pairs[$0.index] }
  }
}
