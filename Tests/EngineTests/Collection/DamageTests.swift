import NyaruEngine
import TestSupport
import Testing

/// What damage costs, seen from a collection.
@Suite struct DamageTests {
  private static let vault = VaultMembership(
    id: Array(repeating: 1, count: 16), key: SecretKey(Array(repeating: 2, count: 32).span))

  /// A disk on which a database was killed after it had written some articles.
  private func killed(
    isReplicated: Bool, afterCheckpoint: Bool = false
  ) async throws -> (disk: SimulatedDisk, authors: [ReplicaID]) {
    let disk = SimulatedDisk()
    let database = try NyaruDB(directory: disk.root, bootID: 1)
    if isReplicated { try database.directory.setVault(Self.vault) }
    let articles = try await database.collection("a", of: Article.self)
    for id in 0..<10 { try await articles.insert(.sample(id, title: "title number \(id)")) }
    try await articles.sync()
    if afterCheckpoint { try await articles.core.checkpoint() }
    return (disk, database.directory.replicaIDs)
  }

  /// Flips a bit in a document's body, in the only shard.
  private func damage(_ disk: SimulatedDisk, title: String) throws -> DiskImage {
    var image = disk.image
    let name = try #require(image.names("collections/a/shards").first)
    let path = "collections/a/shards/" + name
    let bytes = try #require(image.bytes(path))
    let text = Array(title.utf8)
    let offset = try #require(
      bytes.indices.first { bytes[$0...].starts(with: text) })
    image.damage(path, at: offset) { $0 ^ 0x10 }
    return image
  }

  @Test(arguments: [false, true])
  func `a flipped bit costs one record, which is missing and not deleted`(
    isReplicated: Bool
  ) async throws {
    let (disk, authors) = try await killed(isReplicated: isReplicated)
    let image = try damage(disk, title: "title number 4")
    let database = try NyaruDB(directory: SimulatedDisk(image).root, bootID: 1)
    let articles = try await database.collection("a", of: Article.self)
    #expect(try await articles.all().map(\.id) == [0, 1, 2, 3, 5, 6, 7, 8, 9])
    #expect(articles.core.openReport.lostState)
    #expect(try await articles.changes(since: 0).allSatisfy { $0.document != nil })
    // Who forgets becomes new: nobody may take its next writes for those it has forgotten.
    let isNew = database.directory.replicaIDs.count == authors.count + 1
    #expect(isNew == isReplicated)
    try await articles.insert(.sample(4))
    try await database.close()
  }

  @Test func `damage behind an open handle is an error for that record alone`() async throws {
    let directory = try TemporaryDirectory()
    let database = try NyaruDB(path: directory.path("db"))
    let articles = try await database.collection("a", of: Article.self)
    for id in 0..<10 { try await articles.insert(.sample(id, title: "title number \(id)")) }
    let shards = try DiskDirectory.open(
      path: directory.path("db/collections/a/shards"), createIfMissing: false)
    let file = try shards.openFile(try #require(try shards.names().first))
    let bytes = try file.read(Int(file.size()), at: 0)
    let text = Array("title number 4".utf8)
    let offset = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
    try file.write([UInt8(ascii: "X")].span, at: UInt64(offset))

    await #expect(throws: NyaruError.self) { try await articles.get(id: 4) }
    #expect(try await articles.get(id: 5) == .sample(5, title: "title number 5"))
    var streamed: [Int] = []
    await #expect(throws: NyaruError.self) {
      for try await article in articles.stream(batchSize: 3) { streamed.append(article.id) }
    }
    #expect(streamed == [0, 1, 2, 3, 5, 6, 7, 8, 9])
    #expect(try await articles.core.check().damaged.count == 1)
  }

  @Test func `a record that does not read can be replaced and deleted`() async throws {
    let (disk, _) = try await killed(isReplicated: false, afterCheckpoint: true)
    let image = try damage(disk, title: "title number 4")
    let database = try NyaruDB(directory: SimulatedDisk(image).root, bootID: 1)
    let articles = try await database.collection("a", of: Article.self)
    await #expect(throws: NyaruError.self) { try await articles.get(id: 4) }
    await #expect(throws: NyaruError.duplicateID(4)) { try await articles.insert(.sample(4)) }
    try await articles.upsert(.sample(4))
    #expect(try await articles.all().map(\.id) == Array(0..<10))
    try await database.close()
  }
}
