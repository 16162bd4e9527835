import NyaruEngine
import TestSupport
import Testing

/// Records of all sizes and kinds, and the indexes over them.
@Suite struct StoreRecordTests {
  private let disk = SimulatedDisk()

  private func open(key: SecretKey? = nil, indexed: Bool = true) throws -> Store {
    try Store.open(
      directory: disk.root,
      configuration: TestRecords.configuration(
        bootID: disk.bootID, key: key, indexed: indexed))
  }

  @Test(arguments: [true, false])
  func `a compressed body comes back as it was`(isSealed: Bool) throws {
    let key = isSealed ? SecretKey.random() : nil
    let body = [UInt8](repeating: 42, count: 5_000)
    var section: [UInt8] = []
    #expect(Deflater().deflate(body.span, into: &section))
    let write = TestRecords.deflated(
      1, body, section: section, prelude: TestRecords.prelude(1, rawSize: body.count))
    var store = try open(key: key)
    try store.commit([write])
    #expect(store.reader.statistics.size < 1_000)
    for _ in 0..<2 {
      let record = try #require(try store.reader.record(TestRecords.idKey(1)))
      #expect(Array(record.body) == body)
      #expect(try TestRecords.contents(of: store.reader.snapshot()).records == [1: body])
      #expect(try store.reader.snapshot().count(inIndex: 0, .exactly([42])) == 1)
      store = try open(key: key)
    }
  }

  @Test func `a length that lies costs no memory and is damage`() throws {
    let write = TestRecords.deflated(
      1, [1, 2, 3], section: [1, 2, 3], prelude: TestRecords.prelude(1, rawSize: 1 << 30))
    let store = try open()
    try store.commit([write])
    #expect(throws: StorageError.corruptedRecord(idKey: TestRecords.idKey(1))) {
      try store.reader.record(TestRecords.idKey(1))
    }
  }

  @Test(arguments: [0, 1, 31, 32, 33, 4_096, 5 << 20])
  func `a record of any size comes back`(size: Int) throws {
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let store = try open()
    try store.commit([TestRecords.write(1, body), TestRecords.write(4, [7])])
    let killed = try open()
    #expect(try TestRecords.contents(of: killed.reader.snapshot()).records == [1: body, 4: [7]])
    #expect(try killed.check().isSound)
  }

  @Test func `what is too large is refused, and names the limit`() throws {
    let store = try open()
    let body = [UInt8](repeating: 0, count: StorageLimits.payloadSize)
    let limit = UInt64(StorageLimits.payloadSize)
    #expect(throws: StorageError.limit(name: "payloadSize", limit: limit)) {
      try store.commit([TestRecords.write(1, body)])
    }
    try store.commit([TestRecords.write(1, [1])])
    #expect(store.nextSequence == 2)
  }

  @Test func `one batch may write an id several times, and the last one stands`() throws {
    var store = try open()
    try store.commit([TestRecords.write(1, [9])])
    try store.commit([
      TestRecords.write(1, [1]), TestRecords.write(2, [2]), TestRecords.deletion(1),
      TestRecords.write(1, [3]), TestRecords.deletion(2),
    ])
    for _ in 0..<2 {
      let snapshot = store.reader.snapshot()
      #expect(try TestRecords.contents(of: snapshot).records == [1: [3]])
      #expect(try snapshot.count(inIndex: 0, .all) == 1)
      #expect(try snapshot.count(inIndex: 0, .exactly([3])) == 1)
      #expect(try snapshot.changes(after: 0).map(\.sequence) == [5, 6])
      store = try open()
    }
  }

  @Test func `a record that moves to another shard is in that one only`() throws {
    var store = try open()
    try store.commit([TestRecords.write(1, [1], shards: 3)])
    try store.commit([TestRecords.write(1, [2], shards: 1)])
    for _ in 0..<2 {
      let snapshot = store.reader.snapshot()
      #expect(try snapshot.handles(shardKey: "shard1").isEmpty)
      #expect(try snapshot.handles(shardKey: "shard0").count == 1)
      store = try open()
    }
    try store.commit([TestRecords.deletion(1)])
    #expect(try TestRecords.contents(of: open().reader.snapshot()).records == [:])
  }

  @Test func `an index that is added is built, and one that is dropped goes`() throws {
    let store = try open(indexed: false)
    try store.commit((0..<40).map { TestRecords.write($0, [UInt8($0 % 4)], indexed: false) })
    try store.commit([TestRecords.deletion(0)])
    let configuration = TestRecords.configuration(bootID: disk.bootID)
    try store.replaceIndexes(configuration.indexes, extractKeys: configuration.extractKeys)
    #expect(try store.reader.snapshot().count(inIndex: 0, .exactly([0])) == 9)
    try store.commit([TestRecords.write(4, [1])])
    #expect(try store.reader.snapshot().count(inIndex: 0, .exactly([0])) == 8)
    try store.replaceIndexes([], extractKeys: { _, _ in [] })
    try store.commit([TestRecords.write(5, [1], indexed: false)])
    try store.close()

    let again = try open()
    #expect(try again.reader.snapshot().count(inIndex: 0, .all) == 39, "built when it was missing")
  }

  @Test func `a sealed slot shows nothing of the record`() throws {
    let store = try open(key: SecretKey.random())
    let secret = Array("a secret that is long enough to be found".utf8)
    try store.commit([TestRecords.write(1, secret)])
    try store.checkpoint()
    for path in disk.image.names("shards").map({ "shards/" + $0 }) + ["checkpoint.2"] {
      let bytes = try #require(disk.image.bytes(path))
      #expect(!bytes.contains(Array("secret".utf8)))
      #expect(!bytes.contains(TestRecords.idKey(1)))
    }
  }

  @Test func `a slot under another stamp does not open`() throws {
    let codec = PayloadCodec(key: SecretKey.random(), collectionID: TestRecords.collectionID)
    let stamp = SlotStamp(
      sequence: 5, batchIndex: 1, batchCount: 3, flags: SlotFlags(rawValue: 0x20))
    var stored: [UInt8] = []
    try codec.store(
      TestRecords.prelude(1), [1, 2], stamp: stamp, nonce: RandomBytes.next(24).span,
      into: &stored)
    var payload: [UInt8] = []
    _ = try codec.load(stored.span, stamp: stamp, into: &payload)
    #expect(payload == TestRecords.prelude(1) + [1, 2])
    var others = Array(repeating: stamp, count: 4)
    others[0].sequence = 6
    others[1].batchIndex = 0
    others[2].batchCount = 4
    others[3].flags = SlotFlags(rawValue: 0x60)
    for other in others {
      #expect(throws: FormatError.self) {
        try codec.load(stored.span, stamp: other, into: &payload)
      }
    }
  }
}

extension [UInt8] {
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    guard count >= part.count else { return false }
    return (0...count - part.count).contains { self[$0..<$0 + part.count] == part[...] }
  }
}
