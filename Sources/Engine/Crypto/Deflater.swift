internal import CZlib

/// Compresses many messages one after the other, as raw deflate data (RFC 1951).
///
/// The stream and its window, about 256 KiB, are made once. A deflater belongs to one task at a
/// time.
@safe package final class Deflater {
  /// The library counts the bytes of a call in 32 bits.
  package static let messageSizeLimit = 1 << 30

  private let stream: UnsafeMutablePointer<z_stream>

  /// - Parameter level: From 1, fast, to 9, small.
  package init(level: Int = 6) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe czlib_deflate_init_raw(stream, CInt(min(max(level, 1), 9)))
    precondition(result == Z_OK, "out of memory")
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Appends the compressed bytes if they are fewer than the bytes themselves.
  ///
  /// What inflates them needs the same dictionary.
  ///
  /// - Returns: Whether they are; otherwise the output is as it was.
  package func deflate(
    _ bytes: Span<UInt8>, dictionary: [UInt8]? = nil, into output: inout [UInt8]
  ) -> Bool {
    guard (2...Self.messageSizeLimit).contains(bytes.count) else { return false }
    var isSmaller = false
    output.append(addingCapacity: bytes.count - 1) { target in
      isSmaller = compress(bytes, dictionary ?? [], into: &target)
    }
    return isSmaller
  }

  private func compress(
    _ bytes: Span<UInt8>, _ dictionary: [UInt8], into output: inout OutputSpan<UInt8>
  ) -> Bool {
    unsafe output.withUnsafeMutableBufferPointer { target, filled in
      unsafe bytes.withUnsafeBufferPointer { source in
        guard unsafe deflateReset(stream) == Z_OK else { return false }
        let size = UInt32(clamping: dictionary.count)
        if size > 0, unsafe deflateSetDictionary(stream, dictionary, size) != Z_OK { return false }
        // zlib does not write through next_in, whose type is older than const.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(source.count)
        unsafe stream.pointee.next_out = target.baseAddress
        // One byte less than the input: what does not fit is not worth it.
        unsafe stream.pointee.avail_out = UInt32(source.count - 1)
        guard unsafe CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END else { return false }
        filled = unsafe source.count - 1 - Int(stream.pointee.avail_out)
        return true
      }
    }
  }
}
