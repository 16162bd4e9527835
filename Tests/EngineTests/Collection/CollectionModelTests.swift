import NyaruEngine
import TestSupport
import Testing

/// The engine against a dictionary, under random operations.
@Suite struct CollectionModelTests {
  static let cases: [(seed: UInt64, options: DatabaseOptions)] = (0..<12).map { seed in
    let key = seed % 3 == 0 ? SecretKey.sample(5) : nil
    return (
      UInt64(seed),
      DatabaseOptions(
        compression: seed % 2 == 0 ? .none : .gzip, format: seed % 4 == 3 ? .json : .msgpack,
        encryptionKey: key)
    )
  }

  @Test(arguments: cases)
  func `every operation does what it does to a dictionary`(
    seed: UInt64, options: DatabaseOptions
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    var scratch = try ScratchDatabase(options)
    let shape = CollectionOptions(
      partitionKey: seed % 2 == 0 ? "author" : nil, indexedFields: ["author", "title"])
    var articles = try await scratch.database.collection("a", of: Article.self, options: shape)
    var model: [Int: Article] = [:]
    for step in 0..<250 {
      let id = Int.random(in: 0..<40, using: &generator)
      let article = Article.sample(
        id, title: String(repeating: "t\(step)", count: .random(in: 1...40, using: &generator)),
        author: "w\(Int.random(in: 0..<4, using: &generator))")
      switch Int.random(in: 0..<14, using: &generator) {
      case 0...2:
        if model[id] == nil {
          try await articles.insert(article)
          model[id] = article
        } else {
          await #expect(throws: NyaruError.self) { try await articles.insert(article) }
        }
      case 3...5:
        try await articles.upsert(article)
        model[id] = article
      case 6:
        #expect(try await articles.delete(id: id) == (model.removeValue(forKey: id) != nil))
      case 7...9:
        let ids = Set((0..<6).map { _ in Int.random(in: 0..<40, using: &generator) })
        let batch = ids.map { Article.sample($0, title: "b\(step)", author: "w\($0 % 4)") }
        try await articles.writeBatch { writes in
          for document in batch {
            if document.id % 5 == 0 {
              writes.delete(id: document.id)
            } else {
              writes.upsert(document)
            }
          }
        }
        for document in batch { model[document.id] = document.id % 5 == 0 ? nil : document }
      case 10: try await articles.sync()
      case 11 where step % 5 == 0: try await articles.compact()
      case 12 where step % 3 == 0:
        scratch = try await scratch.reopened(options)
        articles = try await scratch.database.collection("a", of: Article.self)
      default:
        #expect(try await articles.get(id: id) == model[id])
      }
    }
    let expected = model.values.sorted { $0.id < $1.id }
    #expect(try await articles.all() == expected)
    for author in ["w0", "w1", "w2", "w3"] {
      #expect(
        try await articles.find().where("author", isEqualTo: author).execute()
          == expected.filter { $0.author == author })
    }
    #expect(try await articles.core.check().damaged.isEmpty)
    try await scratch.database.close()
  }
}
