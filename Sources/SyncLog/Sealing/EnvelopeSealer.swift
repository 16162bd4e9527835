package import NyaruEngine

/// Seals the states of one collection, and opens envelopes of it.
///
/// Cipher contexts and buffers are made once. A sealer belongs to one task at a time; make one for
/// each core.
package final class EnvelopeSealer {
  private let keys: VaultKeys
  private let collection: CollectionTag
  private let tags: TagMaker
  private let hash = SHA256()
  private let cipher: Sealer
  private let compresses: Bool
  private lazy var deflater = Deflater(level: 1)
  private lazy var inflater = Inflater()
  private var data = ByteWriter(capacity: 4096)
  private var packed = ByteWriter(capacity: 4096)
  private var compressed: [UInt8] = []

  /// Smaller data is not worth the time of compressing it: the few bytes that are won, padding
  /// takes back.
  private static let compressionSizeMinimum = 512

  /// Without `compresses`, envelopes are made faster and larger: for a peer in this process.
  package init(
    keys: VaultKeys, collection: CollectionTag, compresses: Bool = true
  ) throws(CryptoError) {
    self.keys = keys
    self.compresses = compresses
    self.collection = collection
    tags = TagMaker(keys)
    cipher = try Sealer(key: keys.bodyKey)
  }

  /// The clear part of a record's envelope.
  package func header(of state: RecordState, idKey: [UInt8]) -> EnvelopeHeader {
    EnvelopeHeader(
      isDeletion: state.isDeleted, record: tags.record(idKey, in: collection),
      stateTag: StateTag.of(state, hash: hash), vector: state.vector)
  }

  /// Appends the envelope of a record.
  ///
  /// The nonce is 24 random bytes that were never used before.
  package func seal(
    _ state: RecordState, idKey: [UInt8], header: EnvelopeHeader, nonce: Span<UInt8>,
    group: UInt64?, into list: inout EnvelopeList
  ) throws(CryptoError) {
    pack(state, idKey: idKey, group: group)
    var clear = ByteWriter(capacity: 256)
    header.encode(into: &clear)
    let length = packed.count + XAES256GCM.tagSize
    var lengthBytes = ByteWriter(capacity: 8)
    lengthBytes.writeVarint(UInt64(length))
    let header = clear.bytes
    let plaintext = packed.bytes
    let associated = associatedData(header: header.span)
    let size = clear.count + XAES256GCM.nonceSize + lengthBytes.count + length
    try list.append(size: size) { bytes throws(CryptoError) in
      bytes.append(contentsOf: header)
      for index in nonce.indices { bytes.append(nonce[index]) }
      bytes.append(contentsOf: lengthBytes.bytes)
      try cipher.seal(
        plaintext.span, nonce: nonce, associatedData: associated.span, into: &bytes)
    }
  }

  /// Opens an envelope, and checks that all that it says of itself is so.
  package func open(_ envelope: Span<UInt8>) throws(EnvelopeFailure) -> OpenedEnvelope {
    var opened: OpenedEnvelope
    do throws(FormatError) {
      var reader = ByteReader(envelope)
      let header = try EnvelopeHeader(from: &reader)
      let headerSize = reader.offset
      let nonce = try reader.readBytes(XAES256GCM.nonceSize)
      let length = try reader.readLength(limit: ProtocolLimits.envelopeSize)
      let ciphertext = envelope.extracting(reader.offset..<reader.offset + length)
      guard length == reader.remaining else { throw .invalid("bytes behind the envelope") }
      var plaintext: [UInt8] = []
      do throws(CryptoError) {
        try cipher.open(
          ciphertext, nonce: nonce.span,
          associatedData: associatedData(header: envelope.extracting(0..<headerSize)).span,
          into: &plaintext)
      } catch {
        throw .checksumMismatch
      }
      opened = try read(try unpack(plaintext), header: header)
    } catch {
      throw error == .checksumMismatch ? .notAuthentic : .format(error)
    }
    try check(opened)
    return opened
  }

  private func check(_ opened: OpenedEnvelope) throws(EnvelopeFailure) {
    let expected = header(of: opened.state, idKey: opened.idKey)
    let tag = opened.idKey.isEmpty ? tags.catalog(of: collection) : expected.record
    guard opened.header.record == tag else { throw .mismatch("record tag") }
    guard opened.header.stateTag == expected.stateTag else { throw .mismatch("state tag") }
    guard opened.header.isDeletion == expected.isDeletion else { throw .mismatch("deletion flag") }
    for entry in opened.state.entries {
      guard opened.state.vector.covers(entry.dot) else { throw .mismatch("vector") }
      guard entry.time <= VersionLimits.time else { throw .mismatch("time") }
    }
  }
}

/// The sealed part.
extension EnvelopeSealer {
  private func associatedData(header: Span<UInt8>) -> [UInt8] {
    var writer = ByteWriter(capacity: OpenedEnvelope.label.count + 32 + header.count)
    writer.write(OpenedEnvelope.label)
    keys.vault.encode(into: &writer)
    collection.encode(into: &writer)
    for index in header.indices { writer.write(header[index]) }
    return writer.finish()
  }

  /// Leaves in `packed` what is to be sealed.
  private func pack(_ state: RecordState, idKey: [UInt8], group: UInt64?) {
    data.removeAll()
    data.write(group == nil ? UInt8(0) : 1)
    if let group { data.write(group.byteSwapped) }
    data.writeLengthPrefixed(idKey)
    data.writeVarint(UInt64(state.entries.count))
    for entry in state.entries {
      entry.dot.encode(into: &data)
      data.write(entry.tag.byteSwapped)
      Prelude.writeTime(entry.time, into: &data)
      data.write(entry.format.rawValue)
      data.writeLengthPrefixed(entry.body)
    }
    packed.removeAll()
    compressed.removeAll(keepingCapacity: true)
    let raw = data.bytes
    let isSmaller =
      compresses && raw.count >= Self.compressionSizeMinimum
      && deflater.deflate(raw.span, into: &compressed)
    packed.write(isSmaller ? UInt8(1) : 0)
    packed.writeVarint(UInt64(isSmaller ? compressed.count : raw.count))
    if isSmaller { packed.writeVarint(UInt64(raw.count)) }
    packed.write(isSmaller ? compressed : raw)
    packed.writeZeros(Padding.padded(packed.count) - packed.count)
  }

  private func unpack(_ plaintext: [UInt8]) throws(FormatError) -> [UInt8] {
    var reader = ByteReader(plaintext.span)
    let method = try reader.readUInt8()
    let size = try reader.readLength()
    switch method {
    case 0: return try reader.readBytes(size)
    case 1:
      let rawSize = try reader.readVarint()
      guard rawSize <= UInt64(ProtocolLimits.recordSize) else { throw .lengthOutOfRange(rawSize) }
      let start = reader.offset
      try reader.skip(size)
      var raw: [UInt8] = []
      try inflater.inflate(
        plaintext.span.extracting(start..<start + size), size: Int(rawSize), into: &raw)
      return raw
    default: throw .unsupported("packing method \(method)")
    }
  }

  private func read(
    _ data: [UInt8], header: EnvelopeHeader
  ) throws(FormatError) -> OpenedEnvelope {
    var reader = ByteReader(data.span)
    let flags = try reader.readUInt8()
    guard flags <= 1 else { throw .unsupported("record flags \(flags)") }
    let group = flags == 1 ? try reader.readUInt64().byteSwapped : nil
    let idKey = try reader.readBytes(try reader.readLength(limit: DocumentLimits.idSize))
    let count = try reader.readVarint()
    guard count <= UInt64(VersionLimits.entryCount) else { throw .lengthOutOfRange(count) }
    var entries: [StandingEntry] = []
    for _ in 0..<count {
      let dot = try Dot(from: &reader)
      let tag = try reader.readUInt64().byteSwapped
      let time = try Prelude.readTime(&reader)
      let format = try Prelude.readFormat(&reader)
      let body = try reader.readBytes(
        try reader.readLength(limit: ProtocolLimits.documentSize))
      entries.append(
        StandingEntry(dot: dot, tag: tag, time: time, format: format, body: body))
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the last version") }
    let state = RecordState(vector: header.vector, entries: entries)
    return OpenedEnvelope(header: header, idKey: idKey, state: state, group: group)
  }
}
