internal import CSystem
internal import Glibc

/// Unpredictable bytes from the kernel (getrandom(2)).
///
/// There is no pool in the process: one would repeat itself after a snapshot of the machine. Draw
/// once for a whole batch, since each call costs a system call.
package enum RandomBytes {
  /// Fills the span.
  ///
  /// The kernel cannot fail here once it runs (the call exists since Linux 3.17); if it does, the
  /// process stops, because nothing is secret without random bytes.
  package static func fill(_ bytes: inout MutableSpan<UInt8>) {
    unsafe bytes.withUnsafeMutableBytes { unsafe fill($0) }
  }

  private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress else { return }
    var filled = 0
    while filled < buffer.count {
      let result = unsafe getrandom(start + filled, buffer.count - filled, 0)
      if result > 0 {
        filled += result
      } else {
        precondition(result < 0 && errno == EINTR, "getrandom failed")
      }
    }
  }

  /// A new array of random bytes.
  package static func next(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    fill(&span)
    return bytes
  }

  /// Random numbers over all of their values.
  package static func nextNumbers(_ count: Int) -> [UInt64] {
    var numbers = [UInt64](repeating: 0, count: count)
    unsafe numbers.withUnsafeMutableBytes { unsafe fill($0) }
    return numbers
  }

  /// A random number over all of its values.
  package static func nextUInt64() -> UInt64 {
    var number: UInt64 = 0
    unsafe withUnsafeMutableBytes(of: &number) { unsafe fill($0) }
    return number
  }
}

/// Whether two byte strings are equal, in a time that depends on their lengths alone.
package func equalBytes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for index in left.indices { difference |= left[index] ^ right[index] }
  return difference == 0
}
