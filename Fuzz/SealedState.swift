import NyaruEngine
import NyaruSyncLog
import Synchronization

private let key = SecretKey([UInt8](repeating: 2, count: 32).span)
private let keys = VaultKeys(key: key)
private let collection = CollectionTag(high: 3, low: 3)

/// Made once, since their contexts take longer to make than an envelope to open.
private let sealers = Mutex(
  (
    outer: try? EnvelopeSealer(keys: keys, collection: collection),
    cipher: try? Sealer(key: HKDF.derive(key, label: "nyaru/sync/1/body"))
  ))

/// Bytes that a member of the vault sealed, well or not, throw or are a state.
func fuzzSealedState(_ bytes: [UInt8]) {
  var framed = ByteWriter()
  framed.write(0 as UInt8)
  framed.writeLengthPrefixed(bytes)
  for plaintext in [bytes, framed.bytes] {
    open(plaintext)
    guard let header = header(of: plaintext) else { continue }
    open(plaintext, header)
  }
}

/// A header that is true to the record that the bytes begin with, so that all checks are reached.
private func header(of plaintext: [UInt8]) -> EnvelopeHeader? {
  var reader = ByteReader(plaintext.span.extracting(min(2, plaintext.count)...))
  guard (try? reader.readUInt8()) == 0, let size = try? reader.readLength(),
    let idKey = try? reader.readBytes(size)
  else { return nil }
  let record = TagMaker(keys).record(idKey, in: collection)
  return EnvelopeHeader(
    isDeletion: true, record: record, stateTag: StateTag.of(.unwritten), vector: VersionVector())
}

private func open(_ plaintext: [UInt8], _ header: EnvelopeHeader? = nil) {
  let header =
    header
    ?? EnvelopeHeader(
      isDeletion: false, record: TagMaker(keys).catalog(of: collection), stateTag: 0,
      vector: VersionVector())
  var clear = ByteWriter()
  header.encode(into: &clear)
  var associated = ByteWriter()
  associated.write(Array("nyaru/sync/1/envelope".utf8))
  keys.vault.encode(into: &associated)
  collection.encode(into: &associated)
  associated.write(clear.bytes)
  let bytes = associated.bytes
  sealers.withLock { sealers in
    guard let outer = sealers.outer, let cipher = sealers.cipher else {
      preconditionFailure("no cipher")
    }
    let nonce = [UInt8](repeating: 4, count: XAES256GCM.nonceSize)
    var sealed: [UInt8] = []
    let isSealed: Void? = try? cipher.seal(
      plaintext.span, nonce: nonce.span, associatedData: bytes.span, into: &sealed)
    precondition(isSealed != nil, "the cipher refuses")
    var envelope = ByteWriter()
    envelope.write(clear.bytes)
    envelope.write(nonce)
    envelope.writeLengthPrefixed(sealed)
    let whole = envelope.bytes
    do throws(EnvelopeFailure) {
      let opened = try outer.open(whole.span)
      if opened.idKey.isEmpty { _ = try? Catalog(opened.state) }
    } catch {
      precondition(error != .notAuthentic, "what was sealed does not open")
    }
  }
}
