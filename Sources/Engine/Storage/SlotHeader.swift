/// The 32 bytes in front of a slot's payload.
///
///     header := capacity u32, payloadLength u32, flags u8, zero u8, headerCheck u16, crc u32,
///               sequence u64, batchIndex u32, batchCount u32
///
/// Both checksums cover the place, so that a slot that lies elsewhere does not read as one. They
/// leave out the retired bit, which changes later:
/// - `crc` is the CRC-32 of fileID u64, offset u64, the header with `headerCheck` and `crc` zero,
///   and the payload as stored;
/// - `headerCheck` is the low half of the CRC-32 of fileID, offset and the header with only
///   itself zero.
package struct SlotHeader: Equatable, Sendable {
  package static let size = 32

  /// Headers and capacities are multiples of this, so no header straddles a sector.
  package static let alignment = 32

  /// Where in the header the flags are.
  package static let flagsOffset = 8

  package var capacity: UInt32
  package var payloadLength: UInt32
  package var stamp: SlotStamp
  private var crc: UInt32 = 0

  /// The header of a slot that is to be written.
  package init(capacity: UInt32, payloadLength: UInt32, stamp: SlotStamp) {
    self.capacity = capacity
    self.payloadLength = payloadLength
    self.stamp = stamp
  }

  /// Bytes of the slot, header included.
  package var slotSize: UInt64 { UInt64(Self.size) + UInt64(capacity) }

  /// The first place for a slot from the offset on.
  static func aligned(_ offset: UInt64) -> UInt64 {
    let size = UInt64(alignment)
    return (offset + size - 1) / size * size
  }

  /// The smallest capacity that holds the payload.
  package static func capacity(for payloadSize: Int) -> Int {
    max(alignment, (payloadSize + alignment - 1) / alignment * alignment)
  }
}

/// Where a slot lies, as far as its checksums know it.
package struct SlotPlace: Equatable, Sendable {
  package var fileID: UInt64
  package var offset: UInt64

  package init(fileID: UInt64, offset: UInt64) {
    self.fileID = fileID
    self.offset = offset
  }
}

/// The place and the header as the checksums see them: six little-endian words.
private struct HeaderWords {
  var words: InlineArray<6, UInt64>

  init(_ header: SlotHeader, at place: SlotPlace) {
    let stamp = header.stamp
    words = [
      place.fileID.littleEndian, place.offset.littleEndian,
      (UInt64(header.capacity) | UInt64(header.payloadLength) << 32).littleEndian,
      UInt64(stamp.flags.unretired.rawValue).littleEndian, stamp.sequence.littleEndian,
      (UInt64(stamp.batchIndex) | UInt64(stamp.batchCount) << 32).littleEndian,
    ]
  }

  /// The checksum of the header alone, with the crc in its place.
  mutating func check(crc: UInt32) -> UInt16 {
    words[3] |= (UInt64(crc) << 32).littleEndian
    var checksum = Checksum()
    unsafe checksum.update(words.span.bytes)  // Safe for integers, as in ByteReader.
    return UInt16(truncatingIfNeeded: checksum.value)
  }

  func crc(of payload: Span<UInt8>) -> UInt32 {
    var checksum = Checksum()
    unsafe checksum.update(words.span.bytes)  // Safe for integers, as in ByteReader.
    checksum.update(payload)
    return checksum.value
  }
}

extension SlotHeader {
  /// Reads the header, or returns `nil` if these bytes were not written as one for this place.
  package init?(_ bytes: Span<UInt8>, at place: SlotPlace) {
    var check: UInt16 = 0
    self.init(unchecked: bytes, check: &check)
    var words = HeaderWords(self, at: place)
    guard words.check(crc: crc) == check else { return nil }
  }

  /// Reads a header that nothing is believed of until ``isIntact(_:at:)`` has said yes: what that
  /// looks at covers the header, too.
  init?(unchecked bytes: Span<UInt8>) {
    var check: UInt16 = 0
    self.init(unchecked: bytes, check: &check)
  }

  private init?(unchecked bytes: Span<UInt8>, check: inout UInt16) {
    guard bytes.count >= Self.size else { return nil }
    // 32 bytes are there, and any bytes are integers.
    let raw = unsafe bytes.bytes
    let sizes = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(as: UInt64.self))
    let checks = UInt64(
      littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let sequence = UInt64(
      littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: 16, as: UInt64.self))
    let batch = UInt64(
      littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: 24, as: UInt64.self))

    capacity = UInt32(truncatingIfNeeded: sizes)
    payloadLength = UInt32(truncatingIfNeeded: sizes >> 32)
    crc = UInt32(truncatingIfNeeded: checks >> 32)
    stamp = SlotStamp(
      sequence: sequence, batchIndex: UInt32(truncatingIfNeeded: batch),
      batchCount: UInt32(truncatingIfNeeded: batch >> 32),
      flags: SlotFlags(rawValue: UInt8(truncatingIfNeeded: checks)))
    guard capacity > 0, capacity % UInt32(Self.alignment) == 0, payloadLength <= capacity,
      payloadLength <= UInt32(StorageLimits.payloadSize), sequence != 0,
      stamp.batchIndex < stamp.batchCount, checks & 0xFF80 == 0
    else { return nil }
    check = UInt16(truncatingIfNeeded: checks >> 16)
  }

  /// What a header says of its slot's capacity, if it can be one; nothing of it was checked.
  static func unverifiedCapacity(_ bytes: Span<UInt8>) -> Int? {
    guard bytes.count >= size else { return nil }
    // 32 bytes are there, and any bytes are integers.
    let word = unsafe bytes.bytes.unsafeLoadUnaligned(as: UInt32.self)
    let capacity = Int(UInt32(littleEndian: word))
    return capacity > 0 && capacity % alignment == 0 ? capacity : nil
  }

  /// Whether this is the payload that was written with the header.
  package func isIntact(_ payload: Span<UInt8>, at place: SlotPlace) -> Bool {
    payload.count == Int(payloadLength) && HeaderWords(self, at: place).crc(of: payload) == crc
  }

  /// Writes the header in front of the payload, which is in the buffer already, behind 32 bytes
  /// from `start` on.
  package func write(into buffer: inout [UInt8], at start: Int, place: SlotPlace) {
    let payloadStart = start + Self.size
    let payload = payloadStart..<payloadStart + Int(payloadLength)
    var words = HeaderWords(self, at: place)
    let crc = words.crc(of: buffer.span.extracting(payload))
    let check = words.check(crc: crc)
    let checks =
      UInt64(stamp.flags.rawValue) | UInt64(check) << 16 | UInt64(crc) << 32
    precondition(buffer.count >= payloadStart, "the buffer holds the slot")
    // 32 bytes are there, as was just checked.
    unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe bytes.storeBytes(of: words.words[2], toByteOffset: start, as: UInt64.self)
      unsafe bytes.storeBytes(
        of: checks.littleEndian, toByteOffset: start + 8, as: UInt64.self)
      unsafe bytes.storeBytes(of: words.words[4], toByteOffset: start + 16, as: UInt64.self)
      unsafe bytes.storeBytes(of: words.words[5], toByteOffset: start + 24, as: UInt64.self)
    }
  }
}
