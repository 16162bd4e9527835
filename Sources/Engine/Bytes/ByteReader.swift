/// Reads little-endian values, front to back, from bytes that somebody else owns.
///
/// Every read checks its bounds and throws; no input can make a reader trap.
package struct ByteReader: ~Escapable {
  private let bytes: RawSpan

  /// Bytes from the start to the next read.
  package private(set) var offset = 0

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) {
    self.bytes = unsafe bytes.bytes  // Safe for UInt8; SE-0525 says so from Swift 6.4 on.
  }

  package var remaining: Int { bytes.byteCount - offset }

  package mutating func readUInt8() throws(FormatError) -> UInt8 { try load() }
  package mutating func readUInt16() throws(FormatError) -> UInt16 { try load() }
  package mutating func readUInt32() throws(FormatError) -> UInt32 { try load() }
  package mutating func readUInt64() throws(FormatError) -> UInt64 { try load() }

  package mutating func readBytes(_ count: Int) throws(FormatError) -> [UInt8] {
    guard count >= 0, remaining >= count else { throw .truncated }
    defer { offset += count }
    return unsafe bytes.extracting(offset..<offset + count).withUnsafeBytes { unsafe Array($0) }
  }

  package mutating func skip(_ count: Int) throws(FormatError) {
    guard count >= 0, remaining >= count else { throw .truncated }
    offset += count
  }

  /// A minimal LEB128 number of at most ten bytes (DWARF 5, §7.6).
  package mutating func readVarint() throws(FormatError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try readUInt8()
      if shift == 63, byte > 1 { throw .invalid("a varint beyond 64 bits") }
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 {
        if byte == 0, shift > 0 { throw .invalid("a varint that is not minimal") }
        return value
      }
      shift += 7
    }
  }

  /// A varint that counts bytes which must still follow.
  package mutating func readLength(limit: Int = .max) throws(FormatError) -> Int {
    let length = try readVarint()
    guard length <= UInt64(limit) else { throw .lengthOutOfRange(length) }
    guard length <= UInt64(remaining) else { throw .truncated }
    return Int(length)
  }

  private mutating func load<T: FixedWidthInteger & BitwiseCopyable>() throws(FormatError) -> T {
    guard remaining >= MemoryLayout<T>.size else { throw .truncated }
    defer { offset += MemoryLayout<T>.size }
    return T(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: T.self))
  }
}
