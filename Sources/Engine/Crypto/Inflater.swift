internal import CZlib

/// Expands many messages of raw deflate data (RFC 1951) one after the other.
///
/// The stream and its window, about 40 KiB, are made once. An inflater belongs to one task at a
/// time.
@safe package final class Inflater {
  package static let messageSizeLimit = 1 << 30

  private let stream: UnsafeMutablePointer<z_stream>

  package init() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe czlib_inflate_init_raw(stream)
    precondition(result == Z_OK, "out of memory")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Appends what the bytes stand for, which is exactly `size` bytes.
  ///
  /// The caller has checked `size` against its own limit. Memory beyond it is never used,
  /// whatever the bytes would expand to.
  ///
  /// - Throws: When the bytes are no deflate data, stand for more or fewer bytes, or go on behind
  ///   their end; the output is then as it was.
  package func inflate(
    _ bytes: Span<UInt8>, size: Int, dictionary: [UInt8]? = nil, into output: inout [UInt8]
  ) throws(FormatError) {
    guard (0...Self.messageSizeLimit).contains(size), bytes.count <= Self.messageSizeLimit else {
      throw .lengthOutOfRange(UInt64(clamping: size))
    }
    // Deflate expands at most 1032 times, so a size beyond that is wrong before any memory is
    // reserved for it.
    guard size <= bytes.count * 1_032 else { throw .lengthOutOfRange(UInt64(size)) }
    var isExact = false
    output.append(addingCapacity: size) { target in
      isExact = expand(bytes, size: size, dictionary ?? [], into: &target)
    }
    guard isExact else { throw .invalid("deflate data of another length") }
  }

  private func expand(
    _ bytes: Span<UInt8>, size: Int, _ dictionary: [UInt8], into output: inout OutputSpan<UInt8>
  ) -> Bool {
    unsafe output.withUnsafeMutableBufferPointer { target, filled in
      unsafe bytes.withUnsafeBufferPointer { source in
        guard unsafe inflateReset(stream) == Z_OK else { return false }
        let count = UInt32(clamping: dictionary.count)
        if count > 0, unsafe inflateSetDictionary(stream, dictionary, count) != Z_OK {
          return false
        }
        // zlib refuses null pointers, even where no byte is to be written.
        var nothing: UInt8 = 0
        return unsafe withUnsafeMutablePointer(to: &nothing) { nothing in
          // zlib does not write through next_in, whose type is older than const.
          unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
          unsafe stream.pointee.avail_in = UInt32(source.count)
          unsafe stream.pointee.next_out = target.baseAddress ?? nothing
          unsafe stream.pointee.avail_out = UInt32(size)
          guard unsafe CZlib.inflate(stream, Z_FINISH) == Z_STREAM_END,
            unsafe stream.pointee.avail_in == 0, unsafe stream.pointee.avail_out == 0
          else { return false }
          filled = size
          return true
        }
      }
    }
  }
}
