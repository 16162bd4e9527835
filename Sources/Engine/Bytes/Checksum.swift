internal import CZlib

/// CRC-32 as in zlib and gzip (RFC 1952, §8), continued over several pieces.
package struct Checksum: Sendable {
  package private(set) var value: UInt32 = 0

  package init() {}

  package mutating func update(_ bytes: Span<UInt8>) {
    value = unsafe bytes.withUnsafeBufferPointer { unsafe Self.updated(value, $0) }
  }

  package mutating func update(_ bytes: RawSpan) {
    value = unsafe bytes.withUnsafeBytes { bytes in
      unsafe Self.updated(value, bytes.bindMemory(to: UInt8.self))
    }
  }

  private static func updated(_ value: UInt32, _ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    UInt32(truncatingIfNeeded: unsafe crc32_z(UInt(value), bytes.baseAddress, bytes.count))
  }

  package static func of(_ bytes: Span<UInt8>) -> UInt32 {
    var checksum = Checksum()
    checksum.update(bytes)
    return checksum.value
  }
}

/// What a difference between two checksums becomes behind further bytes, which both have in common.
///
/// CRC-32 is linear: where two messages of one size differ by some bytes, their checksums differ by
/// what those bytes leave, and each byte that follows multiplies it by x⁸, whatever it is.
package struct ChecksumShift: Sendable {
  private static let polynomial: UInt32 = 0xEDB8_8320

  /// x⁰: bits stand for powers in descending order.
  private static let one: UInt32 = 1 << 31

  /// Powers are remembered for fewer bytes than this.
  private static let memorySize = 4096

  /// x to the 8 *n*, by *n*; 0 where it is not known yet.
  private var powers = [UInt32](repeating: 0, count: memorySize)

  package init() {}

  /// The difference behind `count` further bytes.
  ///
  /// Four bytes that differ make the difference, as a little-endian number, behind themselves.
  package mutating func callAsFunction(_ difference: UInt32, by count: Int) -> UInt32 {
    guard difference != 0 else { return 0 }
    guard count < Self.memorySize else { return Self.shifted(difference, count) }
    if powers[count] == 0 { powers[count] = Self.shifted(Self.one, count) }
    return Self.product(difference, powers[count])
  }

  private static func shifted(_ difference: UInt32, _ count: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32_combine(UInt(difference), 0, count))
  }

  private static func product(_ left: UInt32, _ right: UInt32) -> UInt32 {
    var (product, left, right): (UInt32, UInt32, UInt32) = (0, left, right)
    while left != 0 {
      if left & one != 0 { product ^= right }
      left <<= 1
      right = right >> 1 ^ (right & 1 != 0 ? polynomial : 0)
    }
    return product
  }
}
