/// The shards that take what has a key, as far as they were asked for.
///
/// Keys that differ in normalization only are equal as strings, and different partitions.
struct ShardNumbers {
  private var known: [String: (key: String, number: Int)] = [:]

  /// What was asked for last, which is mostly asked for again.
  private var last: (key: String, number: Int)?

  /// The number that was noted for a key.
  mutating func number(of key: String) -> Int? {
    if let last, Self.isSame(last.key, key) { return last.number }
    guard let found = known[key], Self.isSame(found.key, key) else { return nil }
    last = found
    return found.number
  }

  mutating func note(_ number: Int, of key: String) { known[key] = (key, number) }

  private static func isSame(_ left: String, _ right: String) -> Bool {
    let (left, right) = (left.utf8.span, right.utf8.span)
    return ByteOrder.compare(left, left.indices, right, right.indices) == 0
  }
}
