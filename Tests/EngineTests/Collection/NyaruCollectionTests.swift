import FoundationEssentials
import NyaruEngine
import TestSupport
import Testing

@Suite struct NyaruCollectionTests {
  private static let options = CollectionOptions(
    idField: "id", indexedFields: ["author", "publishedAt"])

  static let variants: [DatabaseOptions] = [
    DatabaseOptions(), DatabaseOptions(compression: .gzip),
    DatabaseOptions(format: .json), DatabaseOptions(encryptionKey: .sample(7)),
    DatabaseOptions(compression: .gzip, encryptionKey: .sample(9)),
  ]

  @Test(arguments: variants)
  func `documents come back as they were, also after reopening`(
    options: DatabaseOptions
  ) async throws {
    let scratch = try ScratchDatabase(options)
    let articles = try await scratch.database.collection(
      "articles", of: Article.self, options: Self.options)
    let written = (1...50).map { Article.sample($0, title: String(repeating: "word ", count: $0)) }
    try await articles.insert(written[0])
    try await articles.insert(contentsOf: written[1...])
    #expect(try await articles.get(id: 1) == written[0])
    #expect(try await articles.all() == written)

    let again = try await scratch.reopened(options)
    let reopened = try await again.database.collection("articles", of: Article.self)
    #expect(try await reopened.all() == written)
    #expect(try await reopened.count() == 50)
    #expect(reopened.options == Self.options)
    try await again.database.close()
  }

  @Test func `an id in use is refused and nothing of the call is written`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(.sample(2))
    await #expect(throws: NyaruError.duplicateID(.integer(2))) {
      try await articles.insert(contentsOf: [.sample(1), .sample(2), .sample(3)])
    }
    await #expect(throws: NyaruError.repeatedID(.integer(5))) {
      try await articles.insert(contentsOf: [.sample(5), .sample(5)])
    }
    #expect(try await articles.all() == [.sample(2)])
  }

  @Test func `writers that share flushes are all told that theirs is durable`() async throws {
    let scratch = try ScratchDatabase(DatabaseOptions(autoSync: .everyWrite))
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await withThrowingTaskGroup { group in
      for writer in 0..<16 {
        group.addTask {
          for number in 0..<100 { try await articles.insert(.sample(writer * 100 + number)) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await articles.count() == 1600)
    #expect(articles.core.reader.durableSequence == 1600)
  }

  @Test func `many documents, written in any order, come back in the order of their ids`()
    async throws
  {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    var random = SeededGenerator(seed: 1)
    let written = (0..<1000).map { Article.sample($0, title: "number \($0)") }
    try await articles.insert(contentsOf: written.shuffled(using: &random))
    try await articles.delete(id: 17)
    let left = written.filter { $0.id != 17 }
    #expect(try await articles.all() == left)
    #expect(try articles.snapshot().all() == left)
    var streamed: [Article] = []
    for try await article in articles.stream(batchSize: 300) { streamed.append(article) }
    #expect(streamed == left)
  }

  @Test func `a large batch with one id in use names it and writes nothing`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(.sample(700))
    await #expect(throws: NyaruError.duplicateID(.integer(700))) {
      try await articles.insert(contentsOf: (0..<1000).map { Article.sample($0) })
    }
    await #expect(throws: NyaruError.repeatedID(.integer(3))) {
      try await articles.upsert(contentsOf: ((0..<1000) + [3]).map { Article.sample($0) })
    }
    #expect(try await articles.count() == 1)
  }

  @Test func `two tasks that insert one id: one of them fails`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    for id in 0..<200 {
      async let first: Void = articles.insert(.sample(id, author: "first"))
      async let second: Void = articles.insert(.sample(id, author: "second"))
      var failures = 0
      do { try await first } catch { failures += 1 }
      do { try await second } catch { failures += 1 }
      #expect(failures == 1)
    }
    #expect(try await articles.count() == 200)
  }

  @Test func `a missing document is not updated, but upserted`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    await #expect(throws: NyaruError.documentNotFound(.integer(1))) {
      try await articles.update(.sample(1))
    }
    try await articles.upsert(.sample(1))
    try await articles.upsert(.sample(1, title: "New"))
    #expect(try await articles.get(id: 1) == .sample(1, title: "New"))
    #expect(try await articles.count() == 1)
  }

  @Test func `a patch changes its fields alone and must decode`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(.sample(1))
    try await articles.patch(id: 1, changes: ["title": "Updated title"])
    #expect(try await articles.get(id: 1) == .sample(1, title: "Updated title"))
    await #expect(throws: NyaruError.self) {
      try await articles.patch(id: 1, changes: ["title": 5])
    }
    await #expect(throws: NyaruError.idChanged(from: .integer(1), to: .integer(2))) {
      try await articles.patch(id: 1, changes: ["id": 2])
    }
    #expect(try await articles.get(id: 1) == .sample(1, title: "Updated title"))
  }

  @Test func `an update keeps the fields that the type does not know`() async throws {
    let scratch = try ScratchDatabase()
    let documents = try await scratch.database.collection("a", of: Document.self)
    let text = #"{"id":1,"title":"t","author":"b","publishedAt":5.5,"extra":{"n":[1,2]}}"#
    try await documents.insert(Document(json: text))
    let articles = try await scratch.database.collection("a", of: Article.self)
    var article = try #require(try await articles.get(id: 1))
    article.title = "new"
    try await articles.update(article)
    let stored = try #require(try await documents.get(id: 1))
    #expect(stored["extra.n.1"] == 2)
    #expect(stored["title"] == "new")
  }

  @Test func `a batch is written whole or not at all`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection(
      "a", of: Article.self, options: CollectionOptions(partitionKey: "author"))
    try await articles.insert(contentsOf: [.sample(1), .sample(2), .sample(42)])
    try await articles.writeBatch { batch in
      batch.insert(.sample(3, author: "Bo"))
      batch.update(.sample(1, author: "Cy"))
      batch.upsert(.sample(4))
      batch.delete(id: 42)
    }
    let expected: [Article] = [
      .sample(1, author: "Cy"), .sample(2), .sample(3, author: "Bo"), .sample(4),
    ]
    #expect(try await articles.all() == expected)
    await #expect(throws: NyaruError.documentNotFound(.integer(9))) {
      try await articles.writeBatch { batch in
        batch.delete(id: 1)
        batch.update(.sample(9))
      }
    }
    #expect(try await articles.all() == expected)
  }

  @Test func `a deleted id can be used again`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(.sample(1))
    #expect(try await articles.delete(id: 1))
    #expect(try await articles.delete(id: 1) == false)
    #expect(try await articles.get(id: 1) == nil)
    try await articles.insert(.sample(1, title: "again"))
    #expect(try await articles.all() == [.sample(1, title: "again")])
    #expect(try await articles.delete(ids: [1, 2, 1]) == 1)
    #expect(try await articles.count() == 0)
  }

  @Test func `a snapshot does not change`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    let before = (0..<300).map { Article.sample($0) }
    try await articles.insert(contentsOf: before)
    let snapshot = articles.snapshot()
    for id in 0..<150 { try await articles.update(.sample(id, title: "changed")) }
    try await articles.delete(ids: 150..<200)
    try await articles.compact()
    #expect(try snapshot.all() == before)
    #expect(try snapshot.document(id: 170) == .sample(170))
    #expect(try await articles.get(id: 170) == nil)
    var streamed: [Article] = []
    for try await article in snapshot.stream(batchSize: 7) { streamed.append(article) }
    #expect(streamed == before)
  }

  @Test func `changes come in order, deletions included, each record once`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(contentsOf: [.sample(1), .sample(2), .sample(3)])
    let first = try await articles.changes(since: 0)
    #expect(first.map(\.document) == [.sample(1), .sample(2), .sample(3)])
    try await articles.update(.sample(1, title: "new"))
    try await articles.delete(id: 2)
    let next = try await articles.changes(since: first[2].sequence)
    #expect(next.map(\.id) == [1, 2])
    #expect(next.map(\.document) == [.sample(1, title: "new"), nil])
    #expect(try await articles.changes(since: next[1].sequence).isEmpty)
  }

  @Test func `ids of any kind and size stay apart`() async throws {
    let scratch = try ScratchDatabase()
    let documents = try await scratch.database.collection("a", of: Document.self)
    let ids: [DocumentValue] = [
      1, "1", "a/b", "..", "", "😀", "e\u{301}", "\u{E9}", "\0", "a\0b", true,
      .string(String(repeating: "x", count: 1024)), .integer(.min), .unsigned(.max), -0.5,
    ]
    for (number, id) in ids.enumerated() {
      let map = DocumentMap(uniqueEntries: [("id", id), ("n", .integer(Int64(number)))])
      try await documents.insert(Document(map))
    }
    #expect(try await documents.count() == ids.count)
    for (number, id) in ids.enumerated() {
      #expect(try await documents.get(id: id)?["n"] == .integer(Int64(number)))
    }
  }

  @Test func `another id field is refused, other indexes are built`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(contentsOf: (1...20).map { .sample($0, author: "w\($0 % 3)") })
    await #expect(throws: NyaruError.collectionTypeMismatch("a")) {
      try await scratch.database.collection(
        "a", of: Article.self, options: CollectionOptions(idField: "title"))
    }
    let indexed = try await scratch.database.collection(
      "a", of: Article.self, options: CollectionOptions(indexedFields: ["author"]))
    let query = indexed.find().where("author", isEqualTo: "w1")
    #expect(try await query.explain().access == .index(field: "author"))
    #expect(try await query.count() == 7)
  }
}
