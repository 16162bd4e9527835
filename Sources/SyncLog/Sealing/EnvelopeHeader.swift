package import NyaruEngine

/// The clear part of an envelope: all that an endpoint can read.
///
///     envelope := header, nonce u8[24], length varint, ciphertext u8[length]
///     header   := format u8 = 1, flags u8, record tag u8[16], state tag u8[8], vector
///     flags    := bit 0: no version stands, the record is deleted
package struct EnvelopeHeader: Equatable, Sendable {
  package static let format: UInt8 = 1

  package var isDeletion: Bool
  package var record: RecordTag

  /// Tells two states of one vector apart: a cut of SHA-256 over the vector and what stands.
  package var stateTag: UInt64
  package var vector: VersionVector

  package init(isDeletion: Bool, record: RecordTag, stateTag: UInt64, vector: VersionVector) {
    self.isDeletion = isDeletion
    self.record = record
    self.stateTag = stateTag
    self.vector = vector
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    let format = try reader.readUInt8()
    guard format == Self.format else { throw .unsupported("envelope format \(format)") }
    let flags = try reader.readUInt8()
    guard flags <= 1 else { throw .unsupported("envelope flags \(flags)") }
    isDeletion = flags == 1
    record = try RecordTag(from: &reader)
    stateTag = try reader.readUInt64().byteSwapped
    vector = try VersionVector(from: &reader)
    guard !vector.isEmpty else { throw .invalid("an envelope without an author") }
  }

  /// Reads the header of a whole envelope, and checks that the rest has the size that it states.
  package init(envelope: Span<UInt8>) throws(FormatError) {
    guard envelope.count <= ProtocolLimits.envelopeSize else {
      throw .lengthOutOfRange(UInt64(envelope.count))
    }
    var reader = ByteReader(envelope)
    try self.init(from: &reader)
    try reader.skip(XAES256GCM.nonceSize)
    let length = try reader.readLength()
    guard length == reader.remaining, length >= XAES256GCM.tagSize else {
      throw .invalid("an envelope of another length than it states")
    }
  }

  package func encode(into writer: inout ByteWriter) {
    writer.write(Self.format)
    writer.write(isDeletion ? UInt8(1) : 0)
    record.encode(into: &writer)
    writer.write(stateTag.byteSwapped)
    vector.encode(into: &writer)
  }
}
