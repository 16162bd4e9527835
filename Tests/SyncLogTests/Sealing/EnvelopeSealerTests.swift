import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

@Suite struct EnvelopeSealerTests {
  private let keys = VaultKeys(
    key: SecretKey([UInt8](repeating: 7, count: 32).span))
  private let collection = CollectionTag(high: 3, low: 4)
  private let id: [UInt8] = [5, 0x61, 0x62]

  private var conflicted: RecordState {
    let entries = [
      States.written(1, 5, [1, 2, 3], tag: 10).entries[0],
      StandingEntry(
        dot: States.dot(2, 300), tag: 11, time: VersionLimits.time, format: .json,
        body: [UInt8](repeating: 9, count: 5000)),
    ]
    return RecordState(vector: VersionVector(entries.map(\.dot)), entries: entries)
  }

  private func sealer() throws -> EnvelopeSealer {
    try EnvelopeSealer(keys: keys, collection: collection)
  }

  private func seal(
    _ state: RecordState, header: EnvelopeHeader? = nil, group: UInt64? = nil
  ) throws -> [UInt8] {
    let sealer = try sealer()
    let nonce = RandomBytes.next(24)
    let honest = sealer.header(of: state, idKey: id)
    var list = EnvelopeList()
    try sealer.seal(
      state, idKey: id, header: header ?? honest, nonce: nonce.span, group: group, into: &list)
    return list[0]
  }

  private func open(
    _ envelope: [UInt8], with other: EnvelopeSealer? = nil
  ) throws -> OpenedEnvelope {
    let sealer = if let other { other } else { try sealer() }
    return try sealer.open(envelope.span)
  }

  @Test func `a state comes back from its envelope`() throws {
    let sealer = try sealer()
    let deleted = conflicted.deleting(dot: States.dot(1, 6), includingConflicts: true)
    for state in [States.written(1, 1, []), conflicted, deleted] {
      for group in [nil, 77] as [UInt64?] {
        let opened = try open(seal(state, group: group))
        #expect(opened.state == state && opened.idKey == id && opened.group == group)
        #expect(opened.header == sealer.header(of: state, idKey: id))
      }
    }
  }

  @Test func `no byte can be changed, added or left out`() throws {
    let sealer = try sealer()
    let envelope = try seal(conflicted)
    for index in envelope.indices {
      var changed = envelope
      changed[index] ^= 1
      #expect(throws: EnvelopeFailure.self) { try open(changed, with: sealer) }
    }
    for end in envelope.indices {
      #expect(throws: EnvelopeFailure.self) { try open(Array(envelope[..<end]), with: sealer) }
    }
    #expect(throws: EnvelopeFailure.self) { try open(envelope + [0], with: sealer) }
  }

  @Test func `another collection or vault does not open it`() throws {
    let envelope = try seal(conflicted)
    let others = [
      (keys, CollectionTag(high: 3, low: 5)), (VaultKeys(key: .random()), collection),
    ]
    for (keys, collection) in others {
      let sealer = try EnvelopeSealer(keys: keys, collection: collection)
      #expect(throws: EnvelopeFailure.notAuthentic) { try open(envelope, with: sealer) }
    }
  }

  @Test func `a key holder who states another record, state or time is found`() throws {
    let state = States.written(1, 5, [1])
    let honest = try sealer().header(of: state, idKey: id)
    var headers = [honest, honest, honest, honest]
    headers[0].record = .random()
    headers[1].stateTag ^= 1
    headers[2].isDeletion = true
    headers[3].vector = VersionVector(States.dot(1, 4))
    let expected = ["record tag", "state tag", "deletion flag", "state tag"]
    for (header, what) in zip(headers, expected) {
      let envelope = try seal(state, header: header)
      #expect(throws: EnvelopeFailure.mismatch(what)) { try open(envelope) }
    }
    let late = States.written(1, 5, [1], time: VersionLimits.time + 1)
    let envelope = try seal(late)
    #expect(throws: EnvelopeFailure.mismatch("time")) { try open(envelope) }
  }

  @Test func `nothing of ids and bodies is visible, and equal states look different`() throws {
    let text = Array("a body that says something".utf8)
    let state = States.written(1, 5, text)
    let envelope = try seal(state)
    #expect(!envelope.contains(text) && !envelope.contains(Array("ab".utf8 + [0])))
    #expect(try seal(state) != envelope)
  }

  @Test func `an envelope's size is Padmé's, plus what the format says`() throws {
    for size in [0, 1, 90, 100, 1000, 3000] {
      let state = States.written(1, 5, RandomBytes.next(size))
      let envelope = try seal(state)
      var reader = ByteReader(envelope.span)
      _ = try EnvelopeHeader(from: &reader)
      try reader.skip(24)
      let padded = try reader.readLength() - XAES256GCM.tagSize
      #expect(Padding.padded(padded) == padded)
      #expect(envelope.count <= size + size / 8 + 150)
    }
  }

  @Test func `a page comes back in order`() async throws {
    let sealer = try sealer()
    let records = (0..<1500).map { number in
      let id: [UInt8] = [1, UInt8(number & 255), UInt8(number >> 8)]
      let state = States.written(1, UInt64(number + 1), id)
      return EnvelopeBatch.Record(
        idKey: id, state: state, header: sealer.header(of: state, idKey: id), group: nil)
    }
    let list = try await EnvelopeBatch.seal(records, keys: keys, collection: collection)
    let opened = try await EnvelopeBatch.open(list, keys: keys, collection: collection)
    #expect(try opened.map { try $0.get().idKey } == records.map(\.idKey))
    #expect(try opened.map { try $0.get().state } == records.map(\.state))
  }
}
