import Glibc

/// The order of byte strings: the first byte that differs decides, then the length.
package enum ByteOrder {
  /// Negative, zero or positive as `left[leftRange]` stands before, at or after
  /// `right[rightRange]`.
  @inline(__always)
  package static func compare(
    _ left: Span<UInt8>, _ leftRange: Range<Int>,
    _ right: Span<UInt8>, _ rightRange: Range<Int>
  ) -> Int {
    let leftBytes = left.extracting(leftRange)
    let rightBytes = right.extracting(rightRange)
    let common = min(leftRange.count, rightRange.count)
    guard common > 0 else { return leftRange.count - rightRange.count }
    // Both spans hold at least `common` bytes, and live as long as the closures.
    let order = unsafe leftBytes.withUnsafeBufferPointer { leftPointer in
      unsafe rightBytes.withUnsafeBufferPointer { rightPointer in
        guard let left = leftPointer.baseAddress, let right = rightPointer.baseAddress
        else { return CInt(0) }
        return unsafe memcmp(left, right, common)
      }
    }
    return order != 0 ? Int(order) : leftRange.count - rightRange.count
  }

  package static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    compare(left.span, 0..<left.count, right.span, 0..<right.count)
  }

  /// The next four bytes as a number, in the order of the bytes; zeros stand for missing ones.
  @inline(__always)
  package static func head(of bytes: Span<UInt8>, from start: Int) -> UInt32 {
    if start + 4 <= bytes.count {
      // Four bytes are there, and any bytes are an integer.
      let raw = unsafe bytes.bytes
      return UInt32(
        bigEndian: unsafe raw.unsafeLoadUnaligned(
          fromUncheckedByteOffset: start, as: UInt32.self))
    }
    var head: UInt32 = 0
    for index in start..<bytes.count {
      head |= UInt32(bytes[index]) << UInt32(8 * (start + 3 - index))
    }
    return head
  }

  /// How many bytes from the start are the same in both.
  package static func commonPrefixCount(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
    let limit = min(left.count, right.count)
    var count = 0
    while count < limit, left[count] == right[count] { count += 1 }
    return count
  }
}
