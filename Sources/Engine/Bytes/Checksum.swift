internal import CZlib

/// CRC-32 as in zlib and gzip (RFC 1952, §8), continued over several pieces.
package struct Checksum: Sendable {
  package private(set) var value: UInt32 = 0

  package init() {}

  package mutating func update(_ bytes: Span<UInt8>) {
    value = unsafe bytes.withUnsafeBufferPointer { pointer in
      UInt32(truncatingIfNeeded: unsafe crc32_z(UInt(value), pointer.baseAddress, pointer.count))
    }
  }

  package mutating func update(_ bytes: RawSpan) {
    value = unsafe bytes.withUnsafeBytes { pointer in
      UInt32(
        truncatingIfNeeded: unsafe crc32_z(
          UInt(value), pointer.assumingMemoryBound(to: UInt8.self).baseAddress, pointer.count))
    }
  }

  package static func of(_ bytes: Span<UInt8>) -> UInt32 {
    var checksum = Checksum()
    checksum.update(bytes)
    return checksum.value
  }
}
