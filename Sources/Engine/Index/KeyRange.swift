/// Keys from one on and before another.
///
/// Half-open ranges express all others, since the next key after `k` is `k` and a zero byte.
package struct KeyRange: Equatable, Sendable {
  /// The lowest key in the range.
  package var lower: [UInt8]

  /// The lowest key behind the range; `nil` if it has no end.
  package var upper: [UInt8]?

  package init(from lower: [UInt8] = [], to upper: [UInt8]? = nil) {
    self.lower = lower
    self.upper = upper
  }

  package static var all: KeyRange { KeyRange() }

  package static func exactly(_ key: [UInt8]) -> KeyRange {
    KeyRange(from: key, to: key + [0])
  }

  /// All keys that begin with the bytes.
  package static func beginning(with prefix: [UInt8]) -> KeyRange {
    var upper = prefix
    while let last = upper.popLast() {
      if last < 0xFF { return KeyRange(from: prefix, to: upper + [last + 1]) }
    }
    return KeyRange(from: prefix)
  }
}
