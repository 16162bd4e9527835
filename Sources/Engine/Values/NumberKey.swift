/// A number as bits whose order is the exact order of the numbers, whatever type they came from.
///
/// `high` holds the greatest double that is not above the number, its bits turned so that they
/// order as unsigned integers; `low` is what the number has beyond that double, which is not zero
/// only for integers beyond 2⁵³. NaN is zero and so the first; -0.0 is 0.0.
package struct NumberKey: Hashable, Comparable, Sendable {
  /// Bytes that a number takes at most.
  static let sizeLimit = 11

  package let high: UInt64
  package let low: UInt16

  private init(_ double: Double, plus low: UInt64 = 0) {
    let bits = (double + 0).bitPattern  // Adding zero makes 0.0 of -0.0.
    high = double.isNaN ? 0 : bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    self.low = UInt16(truncatingIfNeeded: low)
  }

  package init(_ double: Double) { self.init(double, plus: 0) }

  package init(_ integer: Int64) {
    guard integer < 0 else {
      self.init(UInt64(integer))
      return
    }
    let magnitude = integer.magnitude
    let mask = Self.mask(of: magnitude)
    let above = (magnitude + mask) & ~mask  // At most 2⁶³, which is a double.
    self.init(-Double(above), plus: above - magnitude)
  }

  package init(_ integer: UInt64) {
    let mask = Self.mask(of: integer)
    self.init(Double(integer & ~mask), plus: integer & mask)
  }

  /// The low bits of an integer for which a double of its size has no room.
  private static func mask(of magnitude: UInt64) -> UInt64 {
    let excess = 11 - magnitude.leadingZeroBitCount
    return excess > 0 ? (1 << UInt64(excess)) - 1 : 0
  }

  /// The key of a value that is a number.
  package init?(_ value: DocumentValue) {
    switch value {
    case .integer(let integer): self.init(integer)
    case .unsigned(let integer): self.init(integer)
    case .double(let double): self.init(double)
    default: return nil
    }
  }

  package static func < (left: NumberKey, right: NumberKey) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  /// The number, as an integer if it is one, or `nil` if no number has these bits.
  package var value: DocumentValue? {
    let value = integer ?? .double(double)
    return NumberKey(value) == self ? value : nil
  }

  private var double: Double {
    high == 0 ? .nan : Double(bitPattern: high >> 63 == 1 ? high ^ 1 << 63 : ~high)
  }

  private var integer: DocumentValue? {
    if let floor = Int64(exactly: double) {
      let (sum, overflow) = floor.addingReportingOverflow(Int64(low))
      return overflow ? nil : .integer(sum)
    }
    guard let floor = UInt64(exactly: double) else { return nil }
    let (sum, overflow) = floor.addingReportingOverflow(UInt64(low))
    return overflow ? nil : .unsigned(sum)
  }
}

extension NumberKey {
  /// Appends the 75 bits in groups of seven, high first, each followed by a bit that says whether
  /// a bit that is set is still to come. The order of such bytes is the order of the numbers.
  package func encode(into bytes: inout [UInt8]) {
    var rest = UInt128(high) << 64 | UInt128(low) << 53
    repeat {
      let group = UInt8(truncatingIfNeeded: rest >> 120) & 0xFE
      rest <<= 7
      bytes.append(rest == 0 ? group : group | 1)
    } while rest != 0
  }

  /// The number at the start of the bytes, and how many of them it takes.
  package static func decode(
    _ bytes: ArraySlice<UInt8>
  ) throws(FormatError) -> (key: NumberKey, size: Int) {
    var bits: UInt128 = 0
    var shift: UInt128 = 121
    for (index, byte) in bytes.prefix(11).enumerated() {
      bits |= UInt128(byte >> 1) << shift
      shift -= 7
      guard byte & 1 == 0 else { continue }
      guard byte != 0 || index == 0, bits << 75 == 0 else { break }
      return (NumberKey(bits: bits), index + 1)
    }
    throw .invalid("a number in a key")
  }

  private init(bits: UInt128) {
    high = UInt64(truncatingIfNeeded: bits >> 64)
    low = UInt16(truncatingIfNeeded: bits >> 53) & 0x7FF
  }
}
