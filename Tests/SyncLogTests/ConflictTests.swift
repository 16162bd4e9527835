import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

/// Conflicts as an application meets them, over the engine.
@Suite struct ConflictTests {
  private let root: TemporaryDirectory

  init() throws { root = try TemporaryDirectory() }

  /// Two synced databases in which document 1 was changed on both sides.
  private func conflicted() async throws -> (a: NyaruDB, b: NyaruDB) {
    let a = try NyaruDB(path: root.path("A"))
    let b = try NyaruDB(path: root.path("B"))
    let here = try await a.collection("things", of: Document.self)
    try await here.insert(try Document(json: "{\"id\":1,\"text\":\"base\"}"))
    _ = try await Replica(a).sync(with: .directory(b))
    try await here.update(try Document(json: "{\"id\":1,\"text\":\"here\"}"))
    try await b.collection("things", of: Document.self)
      .update(try Document(json: "{\"id\":1,\"text\":\"there\"}"))
    _ = try await Replica(a).sync(with: .directory(b))
    return (a, b)
  }

  private func text(_ database: NyaruDB) async throws -> DocumentValue? {
    try await database.collection("things", of: Document.self).get(id: 1)?["text"]
  }

  @Test func `both sides list the same versions`() async throws {
    let (a, b) = try await conflicted()
    let here = try await Replica(a).conflicts()
    let there = try await Replica(b).conflicts(in: "things")
    #expect(here.count == 1 && here.first?.id == .integer(1))
    let texts = here.first.map { [$0.seen] + $0.others }?.map { $0.document["text"] }
    #expect(Set(texts ?? []) == [.string("here"), .string("there")])
    #expect(there.first?.seen.document == here.first?.seen.document)
    #expect(try await text(a) == here.first?.seen.document["text"])
  }

  @Test(arguments: [0, 1])
  func `a kept version replaces all, on both sides`(version: Int) async throws {
    let (a, b) = try await conflicted()
    let conflict = try #require(try await Replica(a).conflicts().first)
    let kept = ([conflict.seen] + conflict.others)[version]
    try await Replica(a).resolve("things", id: 1, keeping: version)
    _ = try await Replica(b).sync(with: .directory(a))
    for database in [a, b] {
      #expect(try await Replica(database).conflicts().isEmpty)
      #expect(try await text(database) == kept.document["text"])
    }
  }

  @Test func `a document may replace all, if it has the id`() async throws {
    let (a, _) = try await conflicted()
    let replica = Replica(a)
    let other = try Document(json: "{\"id\":\"1\",\"text\":\"other\"}")
    await #expect(throws: SyncError.self) {
      try await replica.resolve("things", id: 1, with: other)
    }
    await #expect(throws: SyncError.notFound("such version of things 1")) {
      try await replica.resolve("things", id: 1, keeping: 2)
    }
    await #expect(throws: SyncError.notFound("document things 2")) {
      try await replica.resolve("things", id: 2, keeping: 0)
    }
    try await replica.resolve(
      "things", id: 1, with: try Document(json: "{\"id\":1,\"text\":\"new\"}"))
    #expect(try await text(a) == .string("new"))
    #expect(try await replica.conflicts().isEmpty)
  }

  @Test func `the status tells what is not pushed yet`() async throws {
    let (a, b) = try await conflicted()
    let status = try await Replica(a).status()
    #expect(status.collections.map(\.name) == ["things"])
    #expect(status.vault == (try await Replica(b).status()).vault && status.vault != nil)
    #expect(status.peers.map(\.unpushed) == [0])
    try await Replica(a).resolve("things", id: 1, keeping: 0)
    #expect(try await Replica(a).status().peers.map(\.unpushed) == [1])
  }
}
