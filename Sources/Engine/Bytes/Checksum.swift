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
