import NyaruEngine
import TestSupport
import Testing

/// Batches whose versions are read ahead, on all cores.
@Suite struct LongBatchTests {
  @Test(arguments: [
    DatabaseOptions(), DatabaseOptions(compression: .gzip, encryptionKey: .sample(3)),
  ])
  func `a long batch does what its operations do one by one`(
    options: DatabaseOptions
  ) async throws {
    let scratch = try ScratchDatabase(options)
    let indexes = CollectionOptions(indexedFields: ["author"])
    let together = try await scratch.database.collection("a", of: Article.self, options: indexes)
    let single = try await scratch.database.collection("b", of: Article.self, options: indexes)
    for articles in [together, single] {
      try await articles.insert(contentsOf: (0..<400).map { .sample($0) })
      // Fields that the type does not know, and deletions.
      for id in stride(from: 0, to: 400, by: 7) {
        try await articles.core.setUnknownField(of: id)
      }
      try await articles.delete(ids: Array(stride(from: 0, to: 400, by: 5)))
    }
    var random = SeededGenerator(seed: 4)
    let changed = (0..<500).map { Article.sample($0, author: "author \($0 % 3)") }
      .shuffled(using: &random)
    try await together.upsert(contentsOf: changed)
    for article in changed { try await single.upsert(article) }
    try await expectEqual(together, single)

    let gone = (0..<450).filter { $0 % 3 == 0 }.shuffled(using: &random)
    let count = try await together.delete(ids: gone + [9999])
    var expected = 0
    for id in gone where try await single.delete(id: id) { expected += 1 }
    #expect(count == expected)
    try await expectEqual(together, single)
    try await scratch.database.close()
  }

  private func expectEqual(
    _ together: NyaruCollection<Article>, _ single: NyaruCollection<Article>
  ) async throws {
    let documents = try together.core.snapshot().bodies(matching: DocumentQuery()).map(\.bytes)
    #expect(
      documents == (try single.core.snapshot().bodies(matching: DocumentQuery()).map(\.bytes)))
    for author in ["Ana", "author 0", "author 1", "author 2"] {
      let found = try await together.find().where("author", isEqualTo: author).execute()
      #expect(found == (try await together.all().filter { $0.author == author }))
      #expect(
        found == (try await single.find().where("author", isEqualTo: author).execute()))
    }
  }
}

extension CollectionCore {
  /// Gives a document a field that ``Article`` does not have.
  fileprivate nonisolated func setUnknownField(of id: Int) async throws {
    let documents = NyaruCollection<Document>(core: self)
    try await documents.patch(id: id, changes: ["note": "kept"])
  }
}
