/// Appends little-endian values to one growable buffer.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init(capacity: Int = 0) {
    if capacity > 0 { bytes.reserveCapacity(capacity) }
  }

  package var count: Int { bytes.count }

  package mutating func write(_ value: UInt8) { bytes.append(value) }
  package mutating func write(_ value: UInt16) { append(value.littleEndian) }
  package mutating func write(_ value: UInt32) { append(value.littleEndian) }
  package mutating func write(_ value: UInt64) { append(value.littleEndian) }
  package mutating func write(_ other: [UInt8]) { bytes.append(contentsOf: other) }
  package mutating func write(_ other: ArraySlice<UInt8>) { bytes.append(contentsOf: other) }

  /// A minimal LEB128 number (DWARF 5, §7.6).
  package mutating func writeVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A varint length, and the bytes.
  package mutating func writeLengthPrefixed(_ other: [UInt8]) {
    writeVarint(UInt64(other.count))
    write(other)
  }

  package mutating func writeZeros(_ count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: count))
  }

  /// Overwrites bytes that were written before.
  package mutating func replace(at offset: Int, with value: UInt32) {
    for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }

  package mutating func removeAll(keepingCapacity: Bool = true) {
    bytes.removeAll(keepingCapacity: keepingCapacity)
  }

  /// Takes the bytes out and leaves the writer empty.
  package mutating func finish() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  private mutating func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
    unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
  }
}
