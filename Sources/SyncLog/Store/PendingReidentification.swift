package import NyaruEngine

/// A change of identity that has begun: what the old author may not have sent is authored again.
///
///     file  := manifest frame, magic "NYPR", format 1
///     body  := old author u8[8], count varint, (collectionID u8[16], bound varint)…
///
/// It is durable before the new identity is taken, and goes when the last record was rewritten, so
/// that a crash in between only means to go on.
package struct PendingReidentification: Equatable, Sendable {
  static let magic = "NYPR"

  /// The author that was; none where the file was damaged.
  package var old: ReplicaID?

  /// By collection, the sequence up to which writes of the old author are known to others.
  /// For a collection that is not named it is 0.
  package var bounds: [Identity: UInt64]

  package init(old: ReplicaID? = nil, bounds: [Identity: UInt64]) {
    self.old = old
    self.bounds = bounds
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    (old ?? ReplicaID(number: 0)).encode(into: &writer)
    writer.writeVarint(UInt64(bounds.count))
    for (collection, bound) in bounds.sorted(by: { $0.key < $1.key }) {
      collection.encode(into: &writer)
      writer.writeVarint(bound)
    }
    return ManifestFrame.encode(writer.finish(), magic: Self.magic, format: 1)
  }

  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let body = try ManifestFrame.decode(bytes, magic: Self.magic, format: 1)
    var reader = ByteReader(body.span)
    old = try ReplicaID(from: &reader)
    bounds = [:]
    let count = try reader.readVarint()
    for _ in 0..<count {
      let collection = try Identity(from: &reader)
      bounds[collection] = try reader.readVarint()
    }
  }
}
