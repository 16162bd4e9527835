import NyaruEngine
import TestSupport
import Testing

@Suite struct NyaruDBTests {
  @Test func `a second handle is refused at once and names the process`() async throws {
    let scratch = try ScratchDatabase()
    let path = scratch.directory.path("db")
    do throws(NyaruError) {
      _ = try NyaruDB(path: path)
      Issue.record("opened twice")
    } catch {
      guard case .databaseLocked(path, let processID) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(processID != nil)
    }
    try await scratch.database.close()
    try await NyaruDB(path: path).close()
  }

  @Test func `a wrong or missing key is refused`() async throws {
    let key = SecretKey.sample(1)
    let scratch = try ScratchDatabase(DatabaseOptions(encryptionKey: key))
    let path = scratch.directory.path("db")
    try await scratch.database.close()
    for wrong in [nil, SecretKey.sample(2)] {
      #expect {
        try NyaruDB(path: path, options: DatabaseOptions(encryptionKey: wrong))
      } throws: { error in
        if case .wrongKey = error as? NyaruError { true } else { false }
      }
    }
    try await NyaruDB(path: path, options: DatabaseOptions(encryptionKey: key)).close()
  }

  @Test func `a missing database is not created against the caller's will`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("none")
    #expect(throws: NyaruError.databaseNotFound(path: path)) {
      try NyaruDB(path: path, options: DatabaseOptions(createIfMissing: false))
    }
  }

  @Test(arguments: [nil, SecretKey.sample(3)])
  func `collection names are any strings, and distinct`(key: SecretKey?) async throws {
    let names = [
      "", "..", ".", "a/b", "A/b", "users", "Users", "\0", "e\u{301}", "\u{E9}",
      String(repeating: "😀", count: 300), "con", "x.new",
    ]
    let options = DatabaseOptions(encryptionKey: key)
    let scratch = try ScratchDatabase(options)
    for (number, name) in names.enumerated() {
      let articles = try await scratch.database.collection(name, of: Article.self)
      try await articles.insert(.sample(number))
    }
    let again = try await scratch.reopened(options)
    let listed = try await again.database.listCollections().map { Array($0.utf8) }
    #expect(Set(listed) == Set(names.map { Array($0.utf8) }))
    for (number, name) in names.enumerated() {
      let articles = try await again.database.collection(name, of: Article.self)
      #expect(try await articles.all() == [.sample(number)])
    }
    try await again.database.close()
  }

  @Test func `sequences do not start again after a drop`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(contentsOf: (0..<10).map { .sample($0) })
    let last = try await articles.changes(since: 0).last?.sequence ?? 0
    try await scratch.database.drop("a")
    #expect(try await scratch.database.listCollections().isEmpty)
    await #expect(throws: NyaruError.closed) { try await articles.insert(.sample(1)) }
    let fresh = try await scratch.database.collection("a", of: Article.self)
    #expect(try await fresh.count() == 0)
    try await fresh.insert(.sample(1))
    let next = try await fresh.changes(since: 0).last?.sequence ?? 0
    #expect(next > last)
    await #expect(throws: NyaruError.collectionNotFound("b")) {
      try await scratch.database.drop("b")
    }
  }

  @Test func `a closed database says so`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await scratch.database.close()
    await #expect(throws: NyaruError.closed) { try await articles.insert(.sample(1)) }
    await #expect(throws: NyaruError.closed) { try await articles.sync() }
    await #expect(throws: NyaruError.closed) {
      try await scratch.database.collection("b", of: Article.self)
    }
  }
}
