import NyaruEngine
import NyaruSyncLog

/// The values of the table in `protocol.md`, computed anew.
struct ProtocolVectors {
  let key: SecretKey
  let nonce = (0..<24).map { UInt8(0x40 + $0) }
  let idKey: [UInt8] = [0x20, 0x61]
  let replica = ReplicaID(number: 0x0102_0304_0506_0708)
  let epoch = Epoch(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1111)
  let chain = ChainValue(high: 0x2222_2222_2222_2222, low: 0x2222_2222_2222_2222)
  let ticket = Ticket(high: 0x3333_3333_3333_3333, low: 0x3333_3333_3333_3333)
  let endpoint = Identity(high: 0x4444_4444_4444_4444, low: 0x4444_4444_4444_4444)

  init() {
    let bytes: [UInt8] = Array(0..<32)
    key = SecretKey(bytes.span)
  }

  var keys: VaultKeys { VaultKeys(key: key) }
  var tags: TagMaker { TagMaker(keys) }
  var collection: CollectionTag { tags.collection("things") }

  /// `{"id":"a","n":1}` by one author, and `{"id":"a","n":2}` by another one who did not see it.
  var state: RecordState {
    let first = StandingEntry(
      dot: Dot(replica: replica, sequence: 5), tag: 0xA1A2_A3A4_A5A6_A7A8,
      time: 1_700_000_000_000, format: .messagePack,
      body: [0x82, 0xA2, 0x69, 0x64, 0xA1, 0x61, 0xA1, 0x6E, 0x01])
    let other = Dot(replica: ReplicaID(number: 0x1112_1314_1516_1718), sequence: 300)
    let second = StandingEntry(
      dot: other, tag: 0xB1B2_B3B4_B5B6_B7B8, time: 1_700_000_000_500, format: .json,
      body: Array("{\"id\":\"a\",\"n\":2}".utf8))
    return RecordState(
      vector: VersionVector([first.dot, second.dot]), entries: [first, second])
  }

  var deletion: RecordState {
    state.deleting(dot: Dot(replica: replica, sequence: 6), includingConflicts: true)
  }

  func envelopes() throws -> EnvelopeList {
    let sealer = try EnvelopeSealer(keys: keys, collection: collection)
    let catalog = Catalog(name: "things", idField: "id")
    var list = EnvelopeList()
    try append(
      catalog.state, id: [], header: catalog.header(tags: tags, collection: collection),
      group: nil, with: sealer, to: &list)
    for (state, group) in [(state, nil), (deletion, 7)] as [(RecordState, UInt64?)] {
      try append(
        state, id: idKey, header: sealer.header(of: state, idKey: idKey), group: group,
        with: sealer, to: &list)
    }
    return list
  }

  private func append(
    _ state: RecordState, id: [UInt8], header: EnvelopeHeader, group: UInt64?,
    with sealer: EnvelopeSealer, to list: inout EnvelopeList
  ) throws {
    let nonce = nonce
    try sealer.seal(
      state, idKey: id, header: header, nonce: nonce.span, group: group, into: &list)
  }

  private func list(_ envelope: [UInt8]) -> EnvelopeList {
    var list = EnvelopeList()
    list.append(envelope)
    return list
  }

  var claim: SessionRequest.Claim {
    SessionRequest.Claim(
      collection: collection, epoch: epoch, pulledThrough: 300, chain: chain, pushedThrough: 5,
      knownTickets: [ticket.high])
  }

  var status: SessionAnswer.Status {
    SessionAnswer.Status(
      collection: collection, epoch: epoch, head: 300, chain: chain, isChainValid: true,
      isTicketRefused: false, commonTicket: nil, pushedThrough: 5, count: 1, root: root.root)
  }

  var root: DigestSum {
    var sum = DigestSum()
    if let sealer = try? EnvelopeSealer(keys: keys, collection: collection) {
      sum.insert(sealer.header(of: state, idKey: idKey))
    }
    return sum
  }

  /// Names and bytes, in the order of the document.
  func all() throws -> [(name: String, bytes: [UInt8])] {
    let envelopes = try envelopes()
    let sealer = try EnvelopeSealer(keys: keys, collection: collection)
    var stateTag = ByteWriter()
    stateTag.write(StateTag.of(state).byteSwapped)
    var header = ByteWriter()
    sealer.header(of: state, idKey: idKey).encode(into: &header)
    return [
      ("vault key", key.exportBytes()), ("vault", keys.vault.bytes),
      ("collection tag of `things`", collection.bytes),
      ("catalog tag", tags.catalog(of: collection).bytes),
      ("id key of `\"a\"`", idKey), ("record tag", tags.record(idKey, in: collection).bytes),
      ("state tag", stateTag.bytes), ("root", root.root.bytes), ("header", header.bytes),
      ("nonce", nonce), ("catalog envelope", envelopes[0]), ("envelope", envelopes[1]),
      ("envelope of a deletion", envelopes[2]),
      (
        "session request",
        SessionRequest(replica: replica, ticket: ticket, claims: [claim]).encoded()
      ),
      (
        "session answer",
        SessionAnswer(endpoint: endpoint, time: 1_700_000_000_000, collections: [status])
          .encoded()
      ),
      (
        "pull request",
        PullRequest(collection: collection, epoch: epoch, since: 300, chain: chain).encoded()
      ),
      (
        "pull answer",
        PullPage(envelopes: list(envelopes[2]), through: 303, chain: chain, hasMore: false)
          .encoded()
      ),
      (
        "push request",
        PushRequest(
          collection: collection, epoch: epoch, replica: replica, ticket: ticket,
          pushedThrough: 6, envelopes: list(envelopes[2])
        ).encoded()
      ),
      (
        "push answer",
        PushAnswer(
          before: 300, through: 303, chain: chain, outcomes: [.stored], covering: EnvelopeList()
        ).encoded()
      ),
      (
        "fetch request",
        FetchRequest(collection: collection, records: [tags.catalog(of: collection)]).encoded()
      ),
      ("fetch answer", FetchAnswer(envelopes: list(envelopes[0])).encoded()),
    ]
  }
}
