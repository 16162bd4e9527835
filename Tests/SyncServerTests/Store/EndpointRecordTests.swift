import NyaruEngine
import NyaruSyncLog
import NyaruSyncServer
import TestSupport
import Testing

@Suite struct EndpointRecordTests {
  private static let tag = Identity(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)

  private static let examples: [EndpointRecord] = [
    .state(.init(epoch: tag)),
    .state(
      .init(epoch: tag, chain: Identity(high: 1, low: 2), sum: DigestSum(count: 300, root: tag))),
    .replica(.init()),
    .replica(.init(pushedThrough: 1 << 40, lastSeen: 1_700_000_000_000, tickets: [tag, .none])),
    .commit(tag), .heads([]), .heads([[], [1, 2, 3], Array(repeating: 9, count: 1000)]),
  ]

  @Test(arguments: examples)
  func `a record reads back as it was written`(record: EndpointRecord) throws {
    #expect(try EndpointRecord(document: record.document) == record)
  }

  @Test(arguments: examples)
  func `a record is a document like any other`(record: EndpointRecord) throws {
    let path = FieldPath("b")
    let value = try FieldReader.value(at: path, in: record.document, format: .messagePack)
    guard case .binary = value else {
      Issue.record("not a map with a binary value")
      return
    }
  }

  @Test(arguments: examples)
  func `no cut and no flipped bit makes a reader trap`(record: EndpointRecord) {
    let document = record.document
    for count in 0..<min(document.count, 200) {
      #expect(throws: FormatError.self) {
        try EndpointRecord(document: Array(document.prefix(count)))
      }
      var flipped = document
      flipped[count] ^= 0x80
      _ = try? EndpointRecord(document: flipped)
    }
  }

  @Test func `the bytes are those of the format`() {
    #expect(
      Hex.text(EndpointRecord.commit(Self.tag).document)
        == "81a162c600000011" + "03" + "0102030405060708090a0b0c0d0e0f10")
    #expect(
      Hex.text(EndpointRecord.heads([[0xAA, 0xBB], [0xCC]]).document)
        == "81a162c600000007" + "04" + "02" + "02aabb" + "01cc")
    #expect(
      Hex.text(
        EndpointRecord.replica(.init(pushedThrough: 300, lastSeen: 1, tickets: [Self.tag])).document
      )
        == "81a162c60000001c" + "02" + "ac02" + "0100000000000000" + "01"
        + "0102030405060708090a0b0c0d0e0f10")
  }

  @Test func `keys of different things differ`() {
    let keys = [
      EndpointRecord.stateKey, EndpointRecord.key(of: ReplicaID(number: 1)),
      EndpointRecord.key(ofCommit: Self.tag), EndpointRecord.key(of: Self.tag as RecordTag),
    ]
    #expect(Set(keys).count == keys.count)
    #expect(keys.allSatisfy { !$0.isEmpty })
  }
}
