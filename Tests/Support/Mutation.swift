/// Bytes with something wrong in them.
package enum Mutation {
  package static func flip(_ bit: Int, in bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    return bytes
  }

  /// Every prefix, from nothing to all but the last byte.
  package static func truncations(of bytes: [UInt8]) -> [[UInt8]] {
    (0..<bytes.count).map { Array(bytes.prefix($0)) }
  }

  /// Each single bit flipped.
  package static func flips(of bytes: [UInt8]) -> [[UInt8]] {
    (0..<bytes.count * 8).map { flip($0, in: bytes) }
  }
}
