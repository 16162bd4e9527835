import NyaruEngine
import TestSupport
import Testing

@Suite struct PreludeTests {
  private let authors = [ReplicaID(number: 0xA1), ReplicaID(number: 0xA2)]
  private let id: [UInt8] = [0x05, 0x61]

  private func entry(_ replica: ReplicaID, _ sequence: UInt64, body: [UInt8]) -> StandingEntry {
    StandingEntry(
      dot: Dot(replica: replica, sequence: sequence), tag: 0x0102_0304_0506_0708,
      time: 0x0000_0A0B_0C0D_0E0F, format: .json, body: body)
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func expectRoundTrip(
    _ state: RecordState, sequence: UInt64, source: UInt32 = 0, rawSize: Int? = nil
  ) throws {
    let prelude = Prelude.encode(
      state, sequence: sequence, authors: authors, source: source, idKey: id, rawSize: rawSize)
    let bodies = state.entries.flatMap(\.body)
    let payload = prelude + bodies
    var reader = ByteReader(payload.span)
    let read = try Prelude(
      from: &reader, sequence: sequence, authors: authors, isCompressed: rawSize != nil)
    #expect(reader.offset == prelude.count)
    #expect(try read.state(bodySection: bodies.span) == state)
    #expect(read.idKey == id && read.source == source && read.rawSize == rawSize)

    let layout = try PreludeLayout(payload.span, isCompressed: rawSize != nil)
    #expect(Array(payload[layout.id]) == id)
    #expect(layout.bodyOffset == prelude.count && layout.rawSize == rawSize)
    #expect(layout.isDeletion == state.isDeleted)
    if let seen = state.seen {
      let size = layout.seenSize ?? bodies.count
      #expect(layout.format == seen.format && Array(bodies.prefix(size)) == seen.body)
    }
  }

  @Test func `an own write takes the short form`() throws {
    let state = RecordState(entry(authors[1], 7, body: [1, 2, 3]))
    let bytes = Prelude.encode(
      state, sequence: 7, authors: authors, source: 0, idKey: id, rawSize: nil)
    #expect(hex(bytes) == "0401" + "0102030405060708" + "0f0e0d0c0b0a" + "020561")
    try expectRoundTrip(state, sequence: 7)
    try expectRoundTrip(state, sequence: 7, rawSize: 300)
  }

  @Test(arguments: [nil, 300])
  func `what the own author writes next needs no state, and is the same`(rawSize: Int?) throws {
    let (first, author) = (entry(authors[1], 7, body: [1]), 1)
    let old = RecordState(first)
    let payload = Prelude.encode(
      old, sequence: 7, authors: authors, source: 0, idKey: id, rawSize: nil)
    let found = Prelude.timeAfterOwn(payload.span, author: author)
    let time = try #require(found)
    let dot = Dot(replica: authors[author], sequence: 9)
    let written = old.writing([2], format: .json, dot: dot, tag: 5, now: 0)
    #expect(
      Prelude.encodeOwn(
        author: author, tag: 5, time: time, format: .json, idKey: id, rawSize: rawSize)
        == Prelude.encode(
          written, sequence: 9, authors: authors, source: 0, idKey: id, rawSize: rawSize))

    let deleted = old.deleting(dot: dot, includingConflicts: false)
    let marker = Prelude.encode(
      deleted, sequence: 9, authors: authors, source: 0, idKey: id, rawSize: nil)
    #expect(Prelude.encodeOwnDeletion(author: author, idKey: id) == marker)
    let timeAfterMarker = Prelude.timeAfterOwn(marker.span, author: author)
    #expect(timeAfterMarker == 0)
  }

  @Test func `a record that somebody else has written needs its state`() {
    let own = RecordState(entry(authors[0], 7, body: [1]))
    let payload = Prelude.encode(
      own, sequence: 7, authors: authors, source: 0, idKey: id, rawSize: nil)
    let timeAfterOther = Prelude.timeAfterOwn(payload.span, author: 1)
    let dot = Dot(replica: authors[1], sequence: 9)
    let shared = own.writing([2], format: .json, dot: dot, tag: 5, now: 0)
    let full = Prelude.encode(
      shared, sequence: 9, authors: authors, source: 0, idKey: id, rawSize: nil)
    let timeAfterBoth = Prelude.timeAfterOwn(full.span, author: 1)
    #expect(timeAfterOther == nil && timeAfterBoth == nil)
  }

  @Test func `an own deletion takes three bytes and the id`() throws {
    let state = RecordState(
      vector: VersionVector(Dot(replica: authors[0], sequence: 9)), entries: [])
    let bytes = Prelude.encode(
      state, sequence: 9, authors: authors, source: 0, idKey: id, rawSize: nil)
    #expect(hex(bytes) == "0100" + "020561")
    try expectRoundTrip(state, sequence: 9)
  }

  @Test func `everything else is written in full`() throws {
    let state = RecordState(entry(authors[1], 7, body: [1, 2, 3]))
    let bytes = Prelude.encode(
      state, sequence: 8, authors: authors, source: 3, idKey: id, rawSize: nil)
    #expect(
      hex(bytes) == "0603" + "01" + "00000000000000a2" + "07" + "01" + "00000000000000a2" + "07"
        + "0102030405060708" + "0f0e0d0c0b0a" + "01" + "03" + "020561")
    try expectRoundTrip(state, sequence: 8)
    try expectRoundTrip(state, sequence: 7, source: 1)
    let stranger = ReplicaID(number: 5)
    let entries = [entry(stranger, 2, body: [9]), entry(authors[0], 4, body: [8, 8])]
    let conflicted = RecordState(
      vector: VersionVector(entries.map(\.dot)), entries: entries)
    try expectRoundTrip(conflicted, sequence: 4, rawSize: 1)
    try expectRoundTrip(
      conflicted.deleting(dot: Dot(replica: stranger, sequence: 3), includingConflicts: true),
      sequence: 3)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `random bytes never trap`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let state = RecordState(entry(authors[1], 7, body: [1, 2, 3]))
    var payload = Prelude.encode(
      state, sequence: 8, authors: authors, source: 3, idKey: id, rawSize: nil)
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      payload[.random(in: 0..<payload.count, using: &random)] = .random(in: 0...255, using: &random)
    }
    payload.removeLast(.random(in: 0..<payload.count, using: &random))
    var reader = ByteReader(payload.span)
    let read = try? Prelude(from: &reader, sequence: 8, authors: authors, isCompressed: false)
    let layout = try? PreludeLayout(payload.span, isCompressed: false)
    if let read { #expect(layout?.id.count == read.idKey.count) }
  }
}
