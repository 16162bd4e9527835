import NyaruEngine
import Synchronization
import TestSupport
import Testing

/// The handler is one for the whole process, so these tests run one after the other.
@Suite(.serialized) struct NyaruLoggerTests {
  /// What was said of one database.
  private final class Listener: Sendable {
    private let heard = Mutex<[(level: NyaruLogger.Level, text: String)]>([])

    init(_ level: NyaruLogger.Level, path: String) {
      NyaruLogger.logLevel = level
      NyaruLogger.handler = { level, text in
        if text.contains(path) || level == .trace {
          self.heard.withLock { $0.append((level, text)) }
        }
      }
    }

    /// What was heard so far; nothing is heard from here on.
    func finish() -> [(level: NyaruLogger.Level, text: String)] {
      NyaruLogger.handler = nil
      return heard.withLock { $0 }
    }
  }

  @Test func `it is silent, and puts no message together, until a handler is set`() {
    NyaruLogger.handler = nil
    NyaruLogger.logLevel = .trace
    var count = 0
    func message() -> String {
      count += 1
      return "message"
    }
    NyaruLogger.log(.error, message())
    #expect(count == 0)

    let heard = Atomic(0)
    NyaruLogger.logLevel = .warning
    NyaruLogger.handler = { _, text in
      if text == "message" { heard.add(1, ordering: .relaxed) }
    }
    NyaruLogger.log(.info, message())
    #expect(count == 0)
    NyaruLogger.log(.warning, message())
    #expect(count == 1)
    NyaruLogger.handler = nil
    NyaruLogger.log(.error, message())
    #expect(count == 1)
    #expect(heard.load(ordering: .relaxed) == 1)
    NyaruLogger.logLevel = .info
  }

  @Test func `levels are ordered and have names`() {
    #expect(NyaruLogger.Level.allCases == NyaruLogger.Level.allCases.sorted())
    #expect(
      NyaruLogger.Level.allCases.map(\.description)
        == ["trace", "debug", "info", "warning", "error"])
  }

  @Test func `opening, checkpoints, compaction and closing are told`() async throws {
    let scratch = try ScratchDatabase()
    let listener = Listener(.trace, path: scratch.directory.path("db"))
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(contentsOf: (0..<20).map { .sample($0) })
    _ = try await articles.find().where("title", isEqualTo: "Title").execute()
    try await articles.delete(ids: Array(0..<10))
    try await articles.compact()
    try await scratch.database.close()
    let texts = listener.finish().map { "\($0.level) \($0.text)" }
    for part in [
      "debug made", "trace a query through a scan of all looked at 20", "info compaction of 1",
      "debug checkpoint", "bytes became", "debug closed",
    ] {
      #expect(texts.contains { $0.contains(part) }, "\(part) in \(texts)")
    }
  }

  @Test func `a failed write, recovery and damage are told`() async throws {
    let disk = SimulatedDisk()
    let articles = try await NyaruDB(directory: disk.root, bootID: 1)
      .collection("logged", of: Article.self)
    try await articles.insert(contentsOf: (0..<5).map { .sample($0) })
    try await articles.sync()
    var listener = Listener(.warning, path: "logged")
    disk.setFault(DiskFault(after: 0, code: 5))
    await #expect(throws: NyaruError.self) { try await articles.insert(.sample(9)) }
    await #expect(throws: NyaruError.self) { try await articles.insert(.sample(10)) }
    let poison = listener.finish()
    #expect(poison.map(\.level) == [.error])
    #expect(poison.first?.text.contains("takes no more writes") == true)

    var image = disk.image
    let name = try #require(image.names("collections/logged/shards").first)
    image.damage("collections/logged/shards/" + name, at: 100) { $0 ^ 1 }
    listener = Listener(.warning, path: "logged")
    let database = try NyaruDB(directory: SimulatedDisk(image).root, bootID: 1)
    _ = try await database.collection("logged", of: Article.self)
    let recovery = listener.finish()
    #expect(recovery.first?.level == .warning)
    #expect(recovery.first?.text.contains("recovered") == true)
    #expect(recovery.contains { $0.level == .error && $0.text.contains("damage") })
    #expect(recovery.contains { $0.level == .error && $0.text.contains("is gone") })
    try await database.close()
  }

  @Test(arguments: [nil, SecretKey.sample(7)])
  func `no message holds a document, an id, a partition value or a key`(
    key: SecretKey?
  ) async throws {
    let disk = SimulatedDisk()
    let options = DatabaseOptions(encryptionKey: key)
    let heard = Mutex<[String]>([])
    NyaruLogger.logLevel = .trace
    NyaruLogger.handler = { _, text in heard.withLock { $0.append(text) } }
    let words = ["secretid", "secretpartition", "secretfield", "secrettext"]
    let database = try NyaruDB(directory: disk.root, options: options, bootID: 1)
    let shape = CollectionOptions(
      partitionKey: "secretfield", indexedFields: ["secretfield", "text"])
    let documents = try await database.collection("c", of: [String: String].self, options: shape)
    func insert(_ numbers: Range<Int>) async throws {
      for number in numbers {
        try await documents.insert([
          "id": "secretid\(number)", "secretfield": "secretpartition", "text": "secrettext",
        ])
      }
    }
    try await insert(0..<10)
    _ = try await documents.find().where("secretfield", isEqualTo: "secretpartition").execute()
    _ = try await documents.find().where("id", isEqualTo: "secretid1").execute()
    try await documents.delete(id: "secretid0")
    try await documents.compact()
    try await insert(10..<12)
    try await documents.sync()
    disk.setFault(DiskFault(after: 0, code: 5))
    await #expect(throws: NyaruError.self) { try await documents.delete(id: "secretid1") }

    var image = disk.image
    let collection = try #require(image.names("collections").first)
    let shards = "collections/\(collection)/shards"
    for name in image.names(shards) {
      let size = image.bytes(shards + "/" + name)?.count ?? 0
      for offset in [120, size - 50] { image.damage(shards + "/" + name, at: offset) { $0 ^ 1 } }
    }
    let again = try NyaruDB(directory: SimulatedDisk(image).root, options: options, bootID: 1)
    let reopened = try await again.collection("c", of: [String: String].self)
    _ = try? await reopened.all()
    try await again.close()
    NyaruLogger.handler = nil
    let texts = heard.withLock { $0 }
    #expect(texts.count > 10)
    #expect(texts.contains { $0.contains("a record in") })
    #expect(texts.contains { $0.contains("damage in") })
    for text in texts {
      for word in words { #expect(!text.contains(word), "\(text)") }
    }
  }
}
