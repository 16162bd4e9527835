package import NyaruEngine

/// What all replicas agree on about a collection: its name, and which field is the id.
///
///     catalog record: an envelope with an empty id key under the catalog tag, vector
///                     {replica 0: 1}, one version: dot (0, 1), tag = the first 8 bytes of
///                     SHA-256(body), time 0, format 0
///     body          := name length varint, name, field length varint, field (UTF-8)
///
/// The state follows from the content. So equal entries of two replicas are the same state, and
/// different ones stand side by side at the endpoint, where both replicas see them.
package struct Catalog: Hashable, Sendable {
  package static let textSizeLimit = 16 << 10

  package var name: String
  package var idField: String

  package init(name: String, idField: String) {
    self.name = name
    self.idField = idField
  }

  package var state: RecordState {
    var writer = ByteWriter()
    writer.writeLengthPrefixed(Array(name.utf8))
    writer.writeLengthPrefixed(Array(idField.utf8))
    let body = writer.finish()
    let tag = SHA256.hash(body).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    let dot = Dot(replica: ReplicaID(number: 0), sequence: 1)
    return RecordState(
      StandingEntry(dot: dot, tag: tag, time: 0, format: .messagePack, body: body))
  }

  package init(_ state: RecordState) throws(FormatError) {
    guard let body = state.seen?.body else { throw .truncated }
    var reader = ByteReader(body.span)
    name = try Self.text(&reader)
    idField = try Self.text(&reader)
    guard reader.remaining == 0 else { throw .invalid("bytes behind the catalog entry") }
    guard self.state == state else { throw .invalid("a catalog entry of another form") }
  }

  /// The header of the catalog's envelope.
  package func header(tags: TagMaker, collection: CollectionTag) -> EnvelopeHeader {
    EnvelopeHeader(
      isDeletion: false, record: tags.catalog(of: collection), stateTag: StateTag.of(state),
      vector: state.vector)
  }

  /// Appends the catalog's envelope.
  func seal(
    keys: VaultKeys, collection: CollectionTag, into list: inout EnvelopeList
  ) throws(CryptoError) {
    let sealer = try EnvelopeSealer(keys: keys, collection: collection)
    let header = header(tags: TagMaker(keys), collection: collection)
    let nonce = RandomBytes.next(XAES256GCM.nonceSize)
    try sealer.seal(
      state, idKey: [], header: header, nonce: nonce.span, group: nil, into: &list)
  }

  private static func text(_ reader: inout ByteReader) throws(FormatError) -> String {
    let bytes = try reader.readBytes(try reader.readLength(limit: textSizeLimit))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalid("text that is not UTF-8")
    }
    return text
  }
}
