/// What a slot's header says about the version that it holds.
package struct SlotStamp: Equatable, Sendable {
  /// The change sequence.
  package var sequence: UInt64

  /// The place in the batch, and the size of the batch: 1 for a single write.
  package var batchIndex: UInt32 = 0
  package var batchCount: UInt32 = 1

  package var flags: SlotFlags

  package init(
    sequence: UInt64, batchIndex: UInt32 = 0, batchCount: UInt32 = 1, flags: SlotFlags
  ) {
    self.sequence = sequence
    self.batchIndex = batchIndex
    self.batchCount = batchCount
    self.flags = flags
  }
}

/// How the body section of one slot is compressed.
package enum SlotCompression: UInt8, Sendable {
  case none = 0
  case deflate = 1

  /// With a dictionary of the collection, whose version stands in front.
  case deflateWithDictionary = 2
}

/// The flag byte of a slot's header.
///
///     bit 0 retired · bits 1–3 compression · bit 4 deletion marker · bit 5 sealed · bit 6 group
package struct SlotFlags: Equatable, Sendable {
  package static let retiredBit: UInt8 = 1

  private static let deletionBit: UInt8 = 0x10
  private static let sealedBit: UInt8 = 0x20
  private static let groupBit: UInt8 = 0x40

  package var rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package init(
    compression: SlotCompression, isDeletion: Bool, isSealed: Bool, isGroup: Bool
  ) {
    rawValue =
      compression.rawValue << 1 | (isDeletion ? Self.deletionBit : 0)
      | (isSealed ? Self.sealedBit : 0) | (isGroup ? Self.groupBit : 0)
  }

  /// A slot that no current version needs.
  package var isRetired: Bool { rawValue & Self.retiredBit != 0 }

  /// The number of the method that the body section was compressed with.
  package var compression: UInt8 { rawValue >> 1 & 7 }

  package var isCompressed: Bool { compression != 0 }
  package var isDeletion: Bool { rawValue & Self.deletionBit != 0 }
  package var isSealed: Bool { rawValue & Self.sealedBit != 0 }

  /// Written by a batch that is replicated whole.
  package var isGroup: Bool { rawValue & Self.groupBit != 0 }

  /// The flags as they were written: retiring changes nothing else.
  package var unretired: SlotFlags { SlotFlags(rawValue: rawValue & ~Self.retiredBit) }
}
