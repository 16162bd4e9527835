import Foundation
import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

/// The tables of `protocol.md`, and its vectors step by step, which other languages rely on.
@Suite struct ProtocolTextTests {
  private let text: ProtocolText
  private let keys: VaultKeys
  private let collection: CollectionTag
  private let first = ReplicaID(number: 0xAAAA_AAAA_AAAA_AAAA)
  private let second = ReplicaID(number: 0xBBBB_BBBB_BBBB_BBBB)
  private let id: [UInt8] = [0x20, 0x75, 0x31]
  private let time: UInt64 = 1_700_000_000_000

  init() throws {
    text = try ProtocolText()
    let secret = try text.bytes("secret")
    keys = VaultKeys(key: SecretKey(secret.span))
    collection = TagMaker(keys).collection("users")
  }

  private func identity(_ byte: UInt8) -> Identity {
    let number = UInt64(byte) * 0x0101_0101_0101_0101
    return Identity(high: number, low: number)
  }

  private var written: RecordState {
    RecordState(
      StandingEntry(
        dot: Dot(replica: first, sequence: 7), tag: 0x0102_0304_0506_0708, time: time,
        format: .messagePack, body: Hex.bytes("82a26964a27531a361676505")))
  }

  private var deleted: RecordState {
    written.deleting(dot: Dot(replica: second, sequence: 300), includingConflicts: true)
  }

  private var conflict: RecordState {
    let note = String(repeating: "so ", count: 60)
    let entry = StandingEntry(
      dot: Dot(replica: second, sequence: 300), tag: 0x1112_1314_1516_1718, time: time + 1,
      format: .json, body: Array(#"{"id":"u1","age":6,"note":"\#(note)"}"#.utf8))
    return RecordState(
      vector: written.vector.joined(VersionVector(entry.dot)), entries: written.entries + [entry])
  }

  // MARK: Keys, numbers, sizes

  @Test func `keys and tags follow from the vault key`() throws {
    let secret = try text.bytes("secret")
    let key = SecretKey(secret.span)
    for name in ["index", "body"] {
      let derived = HKDF.derive(key, label: "nyaru/sync/1/\(name)")
      #expect(try text.bytes("\(name) key") == derived.exportBytes())
    }
    let tags = TagMaker(keys)
    #expect(try text.identity("collection users") == collection)
    #expect(try text.identity("collection é") == tags.collection("\u{E9}"))
    #expect(try text.identity("catalog of users") == tags.catalog(of: collection))
    for (name, value) in [("\"u1\"", "u1"), ("\"1\"", "1"), ("1", 1)] as [(String, DocumentValue)] {
      let key = try OrderedKey.key(of: value)
      #expect(try text.identity("record \(name) of users") == tags.record(key, in: collection))
    }
  }

  @Test func `varints read and write as the vectors say`() throws {
    var count = 0
    for vector in try text.vectors() where vector.name.contains("varint ") {
      guard let number = UInt64(vector.name.dropFirst("varint ".count)) else { continue }
      var writer = ByteWriter()
      writer.writeVarint(number)
      #expect(Hex.bytes(vector.text) == writer.finish(), "\(number)")
      count += 1
    }
    for vector in try text.vectors() where vector.name == "no varint" {
      #expect(throws: FormatError.self) {
        let bytes = Hex.bytes(vector.text)
        var reader = ByteReader(bytes.span)
        _ = try reader.readVarint()
      }
      count += 1
    }
    #expect(count == 13)
  }

  @Test func `padded sizes are the ones of the vectors`() throws {
    let vectors = try text.vectors().filter { $0.name.hasPrefix("padded ") }
    #expect(vectors.count == 15)
    for vector in vectors {
      let size = try #require(Int(vector.name.dropFirst("padded ".count)))
      #expect(String(Padding.padded(size)) == vector.text, "\(size)")
    }
  }

  @Test func `states merge as the vectors say, in either order`() throws {
    let names = try text.vectors().map(\.name).filter { $0.hasSuffix(": merged") }
      .map { $0.dropLast(": merged".count) }
    #expect(names.count == 7)
    for name in names {
      let left = try StateForm.state(text.bytes("\(name): left"))
      let right = try StateForm.state(text.bytes("\(name): right"))
      let merged = try StateForm.state(text.bytes("\(name): merged"))
      for result in [Merge.merge(left, right), Merge.merge(right, left)] {
        #expect(result.state.isSame(as: merged), "\(name)")
        #expect(result.isFork == name.hasPrefix("a fork"), "\(name)")
      }
    }
  }

  // MARK: Envelopes

  private func seal(
    _ state: RecordState, id: [UInt8], header: EnvelopeHeader
  ) throws -> [UInt8] {
    let sealer = try EnvelopeSealer(keys: keys, collection: collection)
    let nonce = try text.bytes("nonce")
    var list = EnvelopeList()
    try sealer.seal(
      state, idKey: id, header: header, nonce: nonce.span, group: nil, into: &list)
    return list[0]
  }

  /// What is sealed in an envelope, taken apart without the code that does so otherwise.
  private func data(in envelope: [UInt8]) throws -> (packed: [UInt8], data: [UInt8]) {
    var reader = ByteReader(envelope.span)
    _ = try EnvelopeHeader(from: &reader)
    let label = Array("nyaru/sync/1/envelope".utf8)
    let associated = label + keys.vault.bytes + collection.bytes + envelope[..<reader.offset]
    let nonce = try reader.readBytes(24)
    let ciphertext = try reader.readBytes(try reader.readLength())
    #expect(reader.remaining == 0)
    let key = try text.bytes("body key")
    let packed = try XAES256GCM.open(
      ciphertext.span, key: SecretKey(key.span), nonce: nonce, associatedData: associated.span)
    var inner = ByteReader(packed.span)
    let isDeflated = try inner.readUInt8() == 1
    let size = try inner.readLength()
    guard isDeflated else { return (packed, try inner.readBytes(size)) }
    let rawSize = Int(try inner.readVarint())
    let deflated = try inner.readBytes(size)
    var raw: [UInt8] = []
    try Inflater().inflate(deflated.span, size: rawSize, into: &raw)
    return (packed, raw)
  }

  @Test func `envelopes have the bytes of the vectors`() throws {
    let sealer = try EnvelopeSealer(keys: keys, collection: collection)
    let catalog = Catalog(name: "users", idField: "id")
    let catalogHeader = catalog.header(tags: TagMaker(keys), collection: collection)
    let expected = [
      ("written", written, id, sealer.header(of: written, idKey: id)),
      ("deleted", deleted, id, sealer.header(of: deleted, idKey: id)),
      ("catalog", catalog.state, [], catalogHeader),
    ]
    for (name, state, id, header) in expected {
      let envelope = try text.bytes(name)
      #expect(try seal(state, id: id, header: header) == envelope, "\(name)")
      #expect(try data(in: envelope).data == text.bytes("\(name): data"), "\(name)")
      let opened = try sealer.open(envelope.span)
      #expect(opened.state == state && opened.idKey == id && opened.header == header)
    }
    let envelope = try text.bytes("written")
    #expect(try data(in: envelope).packed == text.bytes("written: packed"))
    let associated = try text.bytes("written: associated data")
    #expect(associated.starts(with: Array("nyaru/sync/1/envelope".utf8) + keys.vault.bytes))
    #expect(associated.suffix(36) == envelope.prefix(36))
  }

  @Test func `the deflated envelope of a group opens`() throws {
    // Other deflaters write other bytes, so that sealing it anew says nothing.
    let envelope = try text.bytes("conflict")
    let opened = try EnvelopeSealer(keys: keys, collection: collection).open(envelope.span)
    #expect(opened.state == conflict && opened.idKey == id && opened.group == 0xF0)
    let (packed, data) = try data(in: envelope)
    #expect(packed.first == 1 && Padding.padded(packed.count) == packed.count)
    #expect(try data == text.bytes("conflict: data"))
  }

  @Test func `the root counts what is no deletion`() throws {
    var sum = DigestSum()
    for name in ["written", "deleted", "catalog"] {
      let envelope = try text.bytes(name)
      sum.insert(try EnvelopeHeader(envelope: envelope.span))
    }
    #expect(try text.identity("root of written, deleted, catalog") == sum.root)
    #expect(sum.count == 2)
  }

  // MARK: Messages

  private func envelopes(_ names: String...) throws -> EnvelopeList {
    var list = EnvelopeList()
    for name in names { list.append(try text.bytes(name)) }
    return list
  }

  @Test func `a session's answer has the bytes of the vectors`() throws {
    let answer = SessionAnswer(
      endpoint: identity(0xED), time: time,
      collections: [
        .init(
          collection: collection, epoch: identity(0xE0), head: 312, chain: identity(0xC0),
          isChainValid: true, isTicketRefused: false, commonTicket: nil, pushedThrough: 7,
          count: 2, root: try text.identity("root of written, deleted, catalog")),
        .init(
          collection: identity(0xCD), epoch: identity(0xE0), head: 12, chain: identity(0xC0),
          isChainValid: false, isTicketRefused: true, commonTicket: identity(0x6F).high,
          pushedThrough: 0, count: 0, root: .none),
      ])
    #expect(try answer.encoded() == text.bytes("session answer"))
    #expect(try SessionAnswer(decoding: text.bytes("session answer")) == answer)
  }

  @Test func `a fetch answer with a frame that is skipped reads`() throws {
    let heads = FetchAnswer(envelopes: try envelopes("catalog"))
    #expect(try FetchAnswer(decoding: text.bytes("fetch answer")) == heads)
  }

  @Test func `push messages have the bytes of the vectors`() throws {
    let push = PushRequest(
      collection: collection, epoch: identity(0xE0), replica: first, ticket: identity(0x70),
      pushedThrough: 9, envelopes: try envelopes("catalog", "written"))
    #expect(try push.encoded() == text.bytes("push request"))
    #expect(try PushRequest(decoding: text.bytes("push request")) == push)
    let answer = PushAnswer(
      before: 300, through: 312, chain: identity(0xC0), outcomes: [.same, .covered],
      covering: try envelopes("deleted"))
    #expect(try answer.encoded() == text.bytes("push answer"))
    #expect(try PushAnswer(decoding: text.bytes("push answer")) == answer)
  }

  // MARK: Tables

  @Test func `the table of errors is the code's`() throws {
    let rows = try text.rows("### Errors")
    let codes = EndpointFailure.Code.allCases
    #expect(rows.count == codes.count)
    for (row, code) in zip(rows, codes) {
      #expect(row[0] == code.rawValue)
      #expect(row[1] == "\(code.status)", "\(code)")
      #expect(row[2] == (code.isRetryable ? "yes" : "no"), "\(code)")
    }
  }

  @Test func `the problem document of the text is the code's`() throws {
    let lines = try text.section("### Errors")
    let body = lines.drop { $0 != "```json" }.dropFirst().prefix { $0 != "```" }
    let failure = EndpointFailure(
      .recordsRefused, "1 of the records cannot be taken",
      records: [
        .init(index: 3, code: .tooManyHeads, detail: "too many versions stand already")
      ])
    let text = body.joined(separator: "\n")
    #expect(EndpointFailure(decoding: Array(text.utf8), retryAfter: nil) == failure)
    let ours = try JSONSerialization.jsonObject(with: Data(failure.encoded()))
    let theirs = try JSONSerialization.jsonObject(with: Data(text.utf8))
    #expect(try #require(ours as? NSDictionary) == #require(theirs as? NSDictionary))
  }

  @Test func `the table of limits is the code's`() throws {
    let limits = [
      "frameCount": ProtocolLimits.frameCount, "pageCount": ProtocolLimits.pageCount,
      "pageSize": ProtocolLimits.pageSize, "bodySize": ProtocolLimits.bodySize,
      "groupSize": ProtocolLimits.groupSize, "documentSize": ProtocolLimits.documentSize,
      "envelopeSize": ProtocolLimits.envelopeSize, "recordSize": ProtocolLimits.recordSize,
      "headCount": ProtocolLimits.headCount, "ticketCount": ProtocolLimits.ticketCount,
      "collectionCount": ProtocolLimits.collectionCount, "fetchCount": ProtocolLimits.fetchCount,
      "idSize": DocumentLimits.idSize, "entryCount": VersionLimits.entryCount,
      "authorCount": VersionLimits.authorCount, "time": Int(VersionLimits.time),
      "textSize": Catalog.textSizeLimit,
    ]
    let rows = try text.rows("## Limits")
    #expect(rows.count == limits.count)
    for row in rows { #expect(limits[row[0]].map(String.init) == row[1], "\(row[0])") }
  }
}
