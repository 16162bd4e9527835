import NyaruEngine
import TestSupport
import Testing

/// The store's bytes against those that a script in another language writes.
@Suite struct StoreFormatTests {
  private static let fileID: UInt64 = 0x1122_3344_5566_7788
  private static let shardName = "default.1122334455667788"

  private func configuration(key: SecretKey? = nil) -> StoreConfiguration {
    var configuration = TestRecords.configuration(bootID: 7, key: key)
    configuration.collectionID = [UInt8](repeating: UInt8(ascii: "C"), count: 16)
    configuration.names = Names(key: nil)
    configuration.reservation = 4_096
    configuration.makeFileID = { Self.fileID }
    return configuration
  }

  private func record(_ id: Unicode.Scalar, _ body: [UInt8]) -> RecordWrite {
    RecordWrite(
      idKey: [UInt8(ascii: id)],
      prelude: [UInt8](repeating: 0, count: 16) + [1, UInt8(ascii: id)], bodySection: body,
      indexKeys: [body.first.map { [$0] }])
  }

  @Test func `the store writes the fixtures byte by byte`() throws {
    let disk = SimulatedDisk()
    let store = try Store.open(directory: disk.root, configuration: configuration())
    try store.commit([record("a", [5, 6, 7])])
    let deletion = RecordWrite(
      idKey: [UInt8(ascii: "a")], isDeletion: true, prelude: [1, 0, 1, UInt8(ascii: "a")])
    try store.commit([record("b", [9]), deletion], isGroup: true)
    try store.checkpoint()
    try store.commit([record("c", Array(0..<40))])
    try store.sync()

    #expect(try disk.image.bytes("shards/" + Self.shardName) == Fixture.hex("shard-clear"))
    #expect(try disk.image.bytes("checkpoint.2") == Fixture.hex("checkpoint-clear"))
    #expect(try disk.image.bytes("head") == Fixture.hex("head"))
    #expect(disk.image.names().sorted() == ["checkpoint.2", "head", "shards"])
  }

  @Test(arguments: ["clear", "sealed"], ["checkpoint-", "checkpoint-table-"])
  func `the fixtures open`(kind: String, checkpoint: String) throws {
    let key = kind == "sealed" ? SecretKey(Array(0..<32).span) : nil
    let disk = try self.disk(kind, checkpoint: checkpoint)
    let store = try Store.open(directory: disk.root, configuration: configuration(key: key))
    #expect(store.openReport.kind == .recovered)
    #expect(store.openReport.damaged == [])
    let snapshot = store.reader.snapshot()
    #expect(snapshot.liveCount == 2)
    #expect(try snapshot.record([UInt8(ascii: "b")]).map { Array($0.body) } == [9])
    #expect(try snapshot.record([UInt8(ascii: "c")]).map { Array($0.body) } == Array(0..<40))
    let deleted = try snapshot.record([UInt8(ascii: "a")], includingDeleted: true)
    #expect(deleted?.isDeletion == true && deleted?.isGroup == true && deleted?.sequence == 3)
    #expect(try snapshot.count(inIndex: 0, .all) == 2)
    #expect(try snapshot.changes(after: 0).map(\.sequence) == [2, 3, 4])
  }

  @Test func `another key opens nothing and changes nothing`() throws {
    let disk = try self.disk("sealed")
    let before = disk.image
    #expect(throws: StorageError.sealing(.authenticationFailed)) {
      try Store.open(
        directory: disk.root, configuration: configuration(key: SecretKey.random()))
    }
    for path in ["head", "checkpoint.2", "shards/" + Self.shardName] {
      #expect(disk.image.bytes(path) == before.bytes(path))
    }
  }

  private func disk(
    _ kind: String, checkpoint: String = "checkpoint-"
  ) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let shards = try disk.root.createDirectory("shards")
    for (directory, name, bytes) in [
      (shards, Self.shardName, try Fixture.hex("shard-" + kind)),
      (disk.root, "checkpoint.2", try Fixture.hex(checkpoint + kind)),
      (disk.root, "head", try Fixture.hex("head")),
    ] {
      try directory.createFile(name).write(bytes.span, at: 0)
    }
    return disk
  }
}
