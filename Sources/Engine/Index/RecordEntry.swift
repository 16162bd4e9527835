/// Where the newest version of a record lies, and what its slot's header says.
package struct RecordEntry: Equatable, Sendable {
  /// Shards are numbered within a collection.
  package static let shardLimit = 1 << 16

  /// Slots lie at multiples of 32 bytes.
  package static let offsetLimit = UInt64(1) << 53

  package static let payloadLengthLimit = 1 << lengthBits

  private static let lengthBits = 26

  /// The flags that an entry keeps: all but *retired* and the highest.
  private static let flagMask: UInt8 = 0x7E

  /// The change sequence; 0 in an entry of a ``RecordTable`` that is free.
  package var sequence: UInt64
  private let location: UInt64
  package let capacity: UInt32
  private let lengthAndFlags: UInt32

  package init(
    sequence: UInt64, shard: Int, offset: UInt64, capacity: UInt32, payloadLength: Int,
    flags: UInt8
  ) {
    precondition(shard >= 0 && shard < Self.shardLimit, "a shard's number takes 16 bits")
    precondition(offset % 32 == 0 && offset < Self.offsetLimit, "slots lie at multiples of 32")
    precondition(
      payloadLength >= 0 && payloadLength < Self.payloadLengthLimit, "a length takes 26 bits")
    self.sequence = sequence
    self.location = UInt64(shard) << 48 | offset / 32
    self.capacity = capacity
    lengthAndFlags =
      UInt32(payloadLength) | UInt32((flags & Self.flagMask) >> 1) << Self.lengthBits
  }

  package var shard: Int { Int(location >> 48) }
  package var offset: UInt64 { (location & (1 << 48 - 1)) * 32 }
  package var payloadLength: Int { Int(lengthAndFlags & (1 << Self.lengthBits - 1)) }

  /// The slot's flags without bit 0 (retired) and bit 7.
  package var flags: UInt8 { UInt8(lengthAndFlags >> Self.lengthBits) << 1 }

  package var isDeletion: Bool { flags & 0x10 != 0 }
}
