import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

@Suite struct EngineDatabaseTests {
  private let root: TemporaryDirectory
  private let fixture = SyncFixture()

  init() throws { root = try TemporaryDirectory() }

  private func open(_ name: String) throws -> NyaruDB { try NyaruDB(path: root.path(name)) }

  private func document(_ number: Int, _ text: String = "") throws -> Document {
    try Document(json: "{\"id\":\(number),\"text\":\"\(text)\"}")
  }

  private func texts(_ database: NyaruDB, _ name: String = "things") async throws -> [String] {
    try await database.collection(name, of: Document.self).all().map { $0.json() }.sorted()
  }

  @Test func `two fresh databases share a vault, and what the first one holds`() async throws {
    let a = try open("A")
    let b = try open("B")
    let things = try await a.collection("things", of: Document.self)
    try await things.insert(contentsOf: (0..<100).map { try document($0, "text \($0)") })
    let report = try await Replica(a).sync(with: .directory(b))
    #expect(report.sent == 100 && report.verified)
    #expect(try await texts(b) == texts(a))
    let again = try await Replica(b).sync(with: .directory(a))
    #expect(again.sent == 0 && again.received == 0 && again.verified)
  }

  @Test func `conflicts and deletions come through to the documents`() async throws {
    let a = try open("A")
    let b = try open("B")
    let here = try await a.collection("things", of: Document.self)
    try await here.insert(contentsOf: (0..<3).map { try document($0) })
    _ = try await Replica(a).sync(with: .directory(b))
    let there = try await b.collection("things", of: Document.self)
    try await here.update(try document(0, "here"))
    try await there.update(try document(0, "there"))
    try await here.delete(id: 1)
    try await there.update(try document(1, "survives"))
    try await there.delete(id: 2)
    let report = try await Replica(a).sync(with: .directory(b))
    #expect(report.conflicts == 1 && report.verified)
    #expect(try await texts(a) == texts(b))
    #expect(try await here.get(id: 1)?["text"] == .string("survives"))
    #expect(try await here.get(id: 2) == nil)
  }

  @Test func `a database goes on where it was after it was closed`() async throws {
    var a = try open("A")
    try await a.collection("things", of: Document.self).insert(try document(1))
    let key = fixture.key
    try a.directory.setVault(
      VaultMembership(id: fixture.vault.bytes, key: key), isNew: false)
    #expect(try await Replica(a).sync(with: fixture.peer).sent == 1)
    try await a.close()
    a = try open("A")
    let report = try await Replica(a).sync(with: fixture.peer)
    #expect(report.requests == 1 && report.sent == 0 && report.verified)
  }
}
