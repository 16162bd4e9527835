import NyaruEngine
import TestSupport
import Testing

@Suite struct CollectionMetricsTests {
  private func articles(
    in database: NyaruDB, _ count: Int, options: CollectionOptions? = nil
  ) async throws -> NyaruCollection<Article> {
    let articles = try await database.collection("a", of: Article.self, options: options)
    try await articles.insert(
      contentsOf: (0..<count).map { .sample($0, author: "w\($0 % 4)") })
    return articles
  }

  @Test func `a query is counted under the access that it took`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await articles(
      in: scratch.database, 40, options: CollectionOptions(indexedFields: ["author"]))
    _ = try await articles.get(id: 1)
    _ = try await articles.find().where("id", isEqualTo: 1).execute()
    _ = try await articles.find().where("id", isGreaterThan: 30).count()
    _ = try await articles.find().where("author", isEqualTo: "w1").execute()
    _ = try await articles.find().where("title", isEqualTo: "none").execute()
    _ = try await articles.find().where("title", isEqualTo: "Title").limit(3).execute()
    _ = try await articles.find().count()
    for try await _ in articles.stream(batchSize: 7) {}

    let queries = await articles.metrics().queries
    #expect(queries.gets == 1)
    #expect(queries.idLookups == 1)
    #expect(queries.idRanges == 1)
    #expect(queries.indexScans == 1)
    #expect(queries.fullScans == 2)
    #expect(queries.covered == 1)
    #expect(queries.streams == 1)
    #expect(queries.documentsExamined == 1 + 9 + 10 + 40 + 3)
    #expect(queries.documentsReturned == 1 + 10 + 3 + 40)
  }

  @Test func `what is read and written is counted in records and bytes`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await articles(in: scratch.database, 20)
    let empty = await articles.metrics().storage
    #expect(empty.reads == 0)
    #expect(empty.writes == 20)
    let size = await articles.stats().size
    #expect(empty.bytesWritten + UInt64(ShardHeader.size) == size)

    _ = try await articles.get(id: 3)
    let one = await articles.metrics().storage
    #expect(one.reads == 1)
    #expect(one.bytesRead > 32 && one.bytesRead < empty.bytesWritten / 10)
    _ = try await articles.all()
    let all = await articles.metrics().storage
    #expect(all.reads == 21)
    #expect(all.bytesRead - one.bytesRead <= size)
    #expect(all.bytesRead - one.bytesRead > size / 2)
    #expect(all.writes == 20)
  }

  @Test func `flushes, checkpoints and compactions are counted with their bytes`() async throws {
    let disk = SimulatedDisk()
    let database = try NyaruDB(directory: disk.root, bootID: 1)
    let articles = try await articles(in: database, 50)
    try await articles.sync()
    #expect(await articles.metrics().storage.syncs == 1)
    #expect(await articles.metrics().storage.checkpoints == 0)

    try await articles.core.checkpoint()
    let checkpointed = await articles.metrics().storage
    #expect(checkpointed.checkpoints == 1)
    #expect(
      checkpointed.checkpointBytes
        == UInt64(disk.image.bytes("collections/a/checkpoint.2")?.count ?? 0))

    try await articles.delete(ids: Array(0..<30))
    try await articles.core.checkpoint()
    let before = await articles.stats()
    try await articles.compact()
    let after = await articles.stats()
    let compacted = await articles.metrics().storage
    #expect(compacted.compactions == 1)
    #expect(compacted.bytesMoved == after.size)
    #expect(compacted.bytesReclaimed == before.size - after.size)
    #expect(after.garbageSize < before.garbageSize)
    try await database.close()
  }

  @Test func `free bytes are those of retired slots, until a write takes them`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await articles(in: scratch.database, 50)
    #expect(await articles.stats().freeSize == 0)
    try await articles.delete(ids: Array(0..<10))
    try await articles.core.checkpoint()
    let free = await articles.stats()
    #expect(free.freeSize > 0 && free.freeSize <= free.garbageSize)
    let again = try await scratch.reopened()
    let reopened = try await again.database.collection("a", of: Article.self)
    #expect(await reopened.stats().freeSize == free.freeSize)
    try await reopened.insert(.sample(0))
    let used = await reopened.stats()
    #expect(used.freeSize < free.freeSize)
    #expect(used.size == free.size)
    try await again.database.close()
  }

  @Test func `a snapshot is counted as long as it is held`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await articles(in: scratch.database, 3)
    var snapshot: CollectionSnapshot<Article>? = articles.snapshot()
    #expect(await articles.stats().snapshots == 1)
    #expect(snapshot?.count == 3)
    snapshot = nil
    #expect(await articles.stats().snapshots == 0)
  }

  @Test func `what is written and not flushed shows in the sequences`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await articles(in: scratch.database, 3)
    var statistics = await articles.stats()
    #expect(statistics.lastSequence == statistics.durableSequence + 3)
    try await articles.sync()
    statistics = await articles.stats()
    #expect(statistics.lastSequence == statistics.durableSequence)
  }

  @Test func `a compaction is needed above the share of garbage that the options name`()
    async throws
  {
    for (limit, isNeeded) in [(0.3, true), (0.7, false)] {
      let scratch = try ScratchDatabase(DatabaseOptions(maxFragmentation: limit))
      let articles = try await articles(in: scratch.database, 100)
      #expect(try await articles.needsCompaction() == false)
      try await articles.delete(ids: Array(0..<50))
      #expect(try await articles.needsCompaction() == isNeeded)
      try await articles.compact()
      #expect(try await articles.needsCompaction() == false)
    }
  }

  @Test func `recovery says how it opened, what it scanned, and what is damaged`() async throws {
    let disk = SimulatedDisk()
    let articles = try await articles(in: NyaruDB(directory: disk.root, bootID: 1), 10)
    try await articles.sync()
    #expect(await articles.metrics().recovery.kind == .created)

    var image = disk.image
    let name = try #require(image.names("collections/a/shards").first)
    let path = "collections/a/shards/" + name
    let bytes = try #require(image.bytes(path))
    let text = Array("Title".utf8)
    let offset = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
    image.damage(path, at: offset) { $0 ^ 1 }
    let database = try NyaruDB(directory: SimulatedDisk(image).root, bootID: 1)
    let found = try await database.collection("a", of: Article.self)
    let recovery = await found.metrics().recovery
    #expect(recovery.kind == .recovered)
    #expect(recovery.scannedSlots == 10)
    #expect(recovery.scannedBytes > 0)
    #expect(recovery.damage.map(\.file) == [name])
    #expect(recovery.quarantined.count == 1)
    #expect(recovery.lostState)
    try await database.close()
  }

  @Test func `a record that does not read is counted`() async throws {
    let disk = SimulatedDisk()
    let database = try NyaruDB(directory: disk.root, bootID: 1)
    let articles = try await articles(in: database, 5)
    let shards = try disk.root.openDirectory("collections").openDirectory("a")
      .openDirectory("shards")
    let file = try shards.openFile(try #require(try shards.names().first))
    try file.write([0xFF].span, at: UInt64(ShardHeader.size + SlotHeader.size + 20))
    await #expect(throws: NyaruError.self) { try await articles.get(id: 0) }
    await #expect(throws: NyaruError.self) { try await articles.all() }
    #expect(await articles.metrics().storage.unreadableRecords == 2)
  }
}
