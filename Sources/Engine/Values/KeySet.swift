/// The keys of one map, in a buffer that holds them, to find one that occurs twice.
struct KeySet {
  private static let linearLimit = 16

  private var ranges: [Range<Int>] = []
  private var index: Set<[UInt8]> = []

  private(set) var count = 0

  /// Whether the key is a new one, which then is in the set.
  mutating func insert(_ range: Range<Int>, of buffer: Span<UInt8>) -> Bool {
    count += 1
    if count <= Self.linearLimit {
      for other in ranges where Self.areEqual(other, range, in: buffer) { return false }
      ranges.append(range)
      return true
    }
    if index.isEmpty { for range in ranges { index.insert(Self.key(range, of: buffer)) } }
    return index.insert(Self.key(range, of: buffer)).inserted
  }

  private static func areEqual(
    _ left: Range<Int>, _ right: Range<Int>, in buffer: Span<UInt8>
  ) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count
    where buffer[left.lowerBound + index] != buffer[right.lowerBound + index] {
      return false
    }
    return true
  }

  private static func key(_ range: Range<Int>, of buffer: Span<UInt8>) -> [UInt8] {
    range.map { buffer[$0] }
  }
}
