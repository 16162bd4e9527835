import NyaruEngine
import TestSupport
import Testing

/// What becomes of the space of versions that nothing needs.
@Suite struct StoreSpaceTests {
  private let disk = SimulatedDisk()

  private func open(
    _ change: (inout StoreConfiguration) -> Void = { _ in }
  ) throws -> Store {
    var configuration = TestRecords.configuration(bootID: disk.bootID)
    change(&configuration)
    return try Store.open(directory: disk.root, configuration: configuration)
  }

  private func body(_ id: Int, _ version: Int, size: Int = 200) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: id &* 7 &+ version &* 13 &+ $0) }
  }

  @Test func `compaction gives back all garbage, and keeps every record`() throws {
    let store = try open()
    for version in 0..<4 {
      try store.commit((0..<60).map { TestRecords.write($0, body($0, version)) })
    }
    try store.commit((0..<20).map { TestRecords.deletion($0) })
    let before = store.reader.statistics
    #expect(before.garbage > before.liveSize)
    try store.compact()
    let after = store.reader.statistics
    #expect(after.garbage == UInt64(after.shards * ShardHeader.size))
    #expect(after.activity.compactions > 0)
    let records = try TestRecords.contents(of: store.reader.snapshot()).records
    #expect(records == Dictionary(uniqueKeysWithValues: (20..<60).map { ($0, body($0, 3)) }))
    #expect(try store.check().isSound)
    #expect(disk.image.names("shards").count == 3)
  }

  @Test func `a snapshot keeps its files through a compaction, and no longer`() throws {
    let store = try open()
    for version in 0..<2 {
      try store.commit((0..<9).map { TestRecords.write($0, body($0, version)) })
    }
    try compactUnderSnapshot(of: store)
    try store.checkpoint()
    #expect(disk.image.names("shards").count == 3)
  }

  private func compactUnderSnapshot(of store: Store) throws {
    let snapshot = store.reader.snapshot()
    try store.commit((0..<9).map { TestRecords.write($0, body($0, 2)) })
    try store.compact()
    #expect(disk.image.names("shards").count == 6)
    #expect(try TestRecords.contents(of: snapshot).records[3] == body(3, 1))
  }

  @Test func `free slots are used again, once a checkpoint has retired them`() throws {
    let store = try open()
    try store.commit([TestRecords.write(0, body(0, 0))])
    try store.commit([TestRecords.write(0, body(0, 1))])
    try store.checkpoint()
    let size = store.reader.statistics.size
    try store.commit([TestRecords.write(0, body(0, 2, size: 190))])
    #expect(store.reader.statistics.size == size, "the slot of the first version")
    try store.commit([TestRecords.write(0, body(0, 3))])
    #expect(store.reader.statistics.size > size, "nothing else is free before a checkpoint")
    #expect(try store.reader.record(TestRecords.idKey(0)).map { Array($0.body) } == body(0, 3))
  }

  @Test func `opening reads the active free slots alone, and no other is forgotten`() throws {
    let store = try open()
    for version in 0..<3 {
      try store.commit((0..<5_000).map { TestRecords.write($0, body($0, version, size: 8)) })
      if version > 0 { try store.checkpoint() }
    }
    let freeSize = store.reader.statistics.freeSize
    try store.close()
    var again = try open()
    let read = disk.counters.readSize
    #expect(again.openReport.kind == .clean)
    #expect(again.reader.statistics.freeSize == freeSize && freeSize == 10_000 * 64)
    #expect(disk.counters.readSize > read, "the other lists")
    for _ in 0..<2 {
      try again.commit([TestRecords.write(5_000, [1])])
      try again.checkpoint()
      let freeSize = again.reader.statistics.freeSize
      try again.close()
      again = try open()
      #expect(again.reader.statistics.freeSize == freeSize)
    }
    try again.compact()
    #expect(again.reader.statistics.freeSize == 0)
    #expect(try again.check().isSound)
  }

  @Test func `deletions are forgotten where that is allowed, and changes then say so`() throws {
    let store = try open { $0.keepsDeletionMarkers = false }
    try store.commit((0..<6).map { TestRecords.write($0, body($0, 0)) })
    try store.commit([TestRecords.deletion(1)])
    try store.commit([TestRecords.write(7, [1])])
    try store.checkpoint()
    #expect(store.reader.statistics.deletionMarkers == 1)
    try store.checkpoint()
    #expect(store.reader.statistics.deletionMarkers == 0)
    let snapshot = store.reader.snapshot()
    #expect(throws: StorageError.changesCollected(below: 7)) { try snapshot.changes(after: 3) }
    #expect(try snapshot.changes(after: 7).map(\.sequence) == [8])
    #expect(try snapshot.changes(after: 0).count == 6)
    try store.close()
    let again = try open { $0.keepsDeletionMarkers = false }
    #expect(throws: StorageError.changesCollected(below: 7)) {
      try again.reader.snapshot().changes(after: 3)
    }
  }

  @Test func `a collection that is replicated keeps its deletions`() throws {
    let store = try open()
    try store.commit([TestRecords.write(1, [1])])
    try store.commit([TestRecords.deletion(1)])
    for _ in 0..<3 { try store.checkpoint() }
    try store.compact()
    #expect(store.reader.statistics.deletionMarkers == 1)
    #expect(try store.reader.snapshot().changes(after: 1).map(\.sequence) == [2])
  }

  @Test func `compaction forgets deletions where that is allowed`() throws {
    let store = try open { $0.keepsDeletionMarkers = false }
    try store.commit((0..<60).map { TestRecords.write($0, body($0, 0)) })
    try store.commit((0..<30).map { TestRecords.deletion($0) })
    let snapshot = store.reader.snapshot()
    try store.compact()
    #expect(store.reader.statistics.deletionMarkers == 0)
    #expect(throws: StorageError.changesCollected(below: 90)) {
      try store.reader.snapshot().changes(after: 89)
    }
    #expect(try snapshot.changes(after: 60).count == 30)
    #expect(try TestRecords.contents(of: snapshot).records.count == 30)
    #expect(try store.check().isSound)
    try store.commit([TestRecords.write(3, [3])])
    try store.close()
    for name in disk.image.names() where name.hasPrefix("checkpoint.") {
      try disk.root.unlink(name)
    }
    let walked = try open { $0.keepsDeletionMarkers = false }
    let records = try TestRecords.contents(of: walked.reader.snapshot()).records
    #expect(records.keys.sorted() == [3] + Array(30..<60))
  }

  @Test func `a deletion stays as long as what it deleted lies in another shard`() throws {
    let store = try open { $0.keepsDeletionMarkers = false }
    try store.commit([1, 4, 7, 10, 13].map { TestRecords.write($0, body($0, 0), shards: 3) })
    // Record 4 moves from shard 1 of three to shard 0 of four; its first version stays behind.
    try store.commit([4, 8].map { TestRecords.write($0, body($0, 1), shards: 4) })
    try store.commit([4, 8].map { TestRecords.deletion($0, shards: 4) })
    #expect(try store.beginCompaction(minimumGarbage: 0.4))
    while try !store.stepCompaction() {}
    #expect(store.reader.statistics.deletionMarkers == 2)
    try store.compact()
    #expect(store.reader.statistics.deletionMarkers == 0)
  }

  @Test func `a record that does not read is copied, and still does not read`() throws {
    let store = try open()
    try store.commit((0..<9).map { TestRecords.write($0, body($0, 0)) })
    try store.commit((0..<6).map { TestRecords.write($0, body($0, 1)) })
    try store.sync()
    let shards = try disk.root.openDirectory("shards")
    let name = try #require(disk.image.names("shards").first { $0.hasPrefix("shard1.") })
    let bytes = try #require(disk.image.bytes("shards/" + name))
    let start = try #require(bytes.firstRange(of: body(7, 0))?.lowerBound)
    try shards.openFile(name).write([bytes[start] ^ 1].span, at: UInt64(start))
    try store.compact()
    let report = try store.check()
    #expect(report.damaged.map(\.idKey) == [TestRecords.idKey(7)])
    let contents = try TestRecords.contents(of: store.reader.snapshot())
    #expect(contents.damaged == 1 && contents.records.count == 8)
    #expect(contents.records[4] == body(4, 1) && contents.records[7] == nil)
  }

  @Test func `two hundred shards need few open files`() throws {
    let store = try open { $0.openFileLimit = 8 }
    func write(_ id: Int, _ version: Int) -> RecordWrite {
      TestRecords.write(id, body(id, version, size: 20), shards: 200)
    }
    for version in 0..<2 { try store.commit((0..<200).map { write($0, version) }) }
    for id in 0..<200 { try store.commit([write(id, 2)]) }
    try store.close()
    let again = try open { $0.openFileLimit = 8 }
    #expect(again.openReport.kind == .clean)
    let records = try TestRecords.contents(of: again.reader.snapshot()).records
    #expect(records.count == 200 && records[77] == body(77, 2, size: 20))
  }

  @Test func `a shard's records can be read by themselves`() throws {
    let store = try open()
    try store.commit((0..<30).map { TestRecords.write($0, [UInt8($0)]) })
    var ids: [Int?] = []
    try store.reader.snapshot().scanAll(
      shardKeys: ["shard1"], onDamage: { _, _ in },
      { _, view in
        let idKey = Array(copying: view.idKey)
        ids.append(TestRecords.id(idKey))
        return true
      })
    #expect(ids.compactMap { $0 }.sorted() == (0..<30).filter { $0 % 3 == 1 })
  }
}
