import Foundation
import NyaruEngine
import TestSupport
import Testing

@Suite struct QueryBuilderTests {
  /// A document with values of several kinds, or none, in its fields.
  private static func document(_ id: Int, _ generator: inout SeededGenerator) throws -> Document {
    var entries: [(String, DocumentValue)] = [("id", .integer(Int64(id)))]
    let values: [DocumentValue?] = [
      nil, .null, true, .integer(Int64.random(in: -3...3, using: &generator)), 1.5, 2.0, "a", "b",
      "ab", .array([1, "x"]),
    ]
    for field in ["x", "y"] {
      if let value = values.randomElement(using: &generator) ?? nil {
        entries.append((field, value))
      }
    }
    return try Document(DocumentMap(uniqueEntries: entries))
  }

  private static func filter(_ generator: inout SeededGenerator, depth: Int = 2) -> Filter {
    let field = ["x", "y", "id"].randomElement(using: &generator) ?? "x"
    let values: [DocumentValue] = [.null, true, 0, 1, 2, 1.5, "a", "ab", 40]
    let value = values.randomElement(using: &generator) ?? 0
    switch Int.random(in: 0..<(depth > 0 ? 12 : 8), using: &generator) {
    case 0: return .equal(field, value)
    case 1: return .notEqual(field, value)
    case 2: return .lessThan(field, value)
    case 3: return .greaterThanOrEqual(field, value)
    case 4: return .between(field, DocumentValue.integer(0), value)
    case 5: return .isIn(field, [value, "b", 2])
    case 6: return .exists(field)
    case 7: return .startsWith(field, "a")
    case 8: return .not(filter(&generator, depth: depth - 1))
    case 9: return .or([filter(&generator, depth: depth - 1), filter(&generator, depth: 0)])
    default: return .and([filter(&generator, depth: depth - 1), filter(&generator, depth: 0)])
    }
  }

  @Test(arguments: 0..<6)
  func `index, id lookup, partition and scan agree`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let scratch = try ScratchDatabase()
    let scanned = try await scratch.database.collection("scan", of: Document.self)
    let indexed = try await scratch.database.collection(
      "index", of: Document.self,
      options: CollectionOptions(partitionKey: "y", indexedFields: ["x", "y"]))
    let partitioned = try await scratch.database.collection(
      "partition", of: Document.self, options: CollectionOptions(partitionKey: "y"))
    for id in 0..<80 {
      let document = try Self.document(id, &generator)
      try await scanned.upsert(document)
      try await indexed.upsert(document)
      try await partitioned.upsert(document)
      let victim = Int.random(in: 0..<120, using: &generator)
      if victim < 20 {
        try await scanned.delete(id: victim)
        try await indexed.delete(id: victim)
        try await partitioned.delete(id: victim)
      }
    }
    for _ in 0..<60 {
      let filter = Self.filter(&generator)
      let expected = try await scanned.all().filter { document in
        try CompiledFilter(filter).matches(document.bytes, format: document.format)
      }
      #expect(try await scanned.find(filter).execute() == expected, "\(filter)")
      #expect(try await indexed.find(filter).execute() == expected, "\(filter)")
      #expect(try await partitioned.find(filter).execute() == expected, "\(filter)")
      #expect(try await indexed.find(filter).count() == expected.count, "\(filter)")
      #expect(
        try await indexed.find(filter).sort(by: "x").sort(by: "id", ascending: false).limit(5)
          .execute()
          == scanned.find(filter).sort(by: "x").sort(by: "id", ascending: false).execute()
          .prefix(5).map { $0 }, "\(filter)")
    }
    #expect(await partitioned.metrics().queries.partitionScans > 0)
  }

  @Test func `a condition on the partition key reads its shard alone, whatever the value`()
    async throws
  {
    let scratch = try ScratchDatabase()
    let documents = try await scratch.database.collection(
      "a", of: Document.self, options: CollectionOptions(partitionKey: "p"))
    let values: [DocumentValue] = [
      1, 1.0, 1.5, "1", "e\u{301}", "\u{E9}", "", true, false, .null, .double(-0.0), 0,
      .double(.nan),
      .double(.infinity), .unsigned(1 << 63), .double(0x1p63), .integer(.max), .double(0x1p53),
      .integer(1 << 53), [1], .string(String(repeating: "x", count: 2_000)), "default",
      .string(String(repeating: "x", count: 1_999) + "y"), .binary([1]),
    ]
    for (id, value) in values.enumerated() {
      try await documents.insert(
        try Document(DocumentMap(uniqueEntries: [("id", .integer(Int64(id))), ("p", value)])))
    }
    try await documents.insert(try Document(DocumentMap(uniqueEntries: [("id", -1)])))
    for value in values {
      let filter = Filter.equal("p", value)
      let expected = try await documents.all().filter { document in
        try CompiledFilter(filter).matches(document.bytes, format: document.format)
      }
      #expect(try await documents.find(filter).execute() == expected, "\(value)")
    }
    let before = await documents.metrics()
    let query = documents.find(.isIn("p", ["1", "e\u{301}"]))
    #expect(try await query.explain().access == .partitions(count: 2))
    #expect(try await query.count() == 2)
    let after = await documents.metrics()
    #expect(after.queries.partitionScans == before.queries.partitionScans + 1)
    #expect(after.queries.documentsExamined - before.queries.documentsExamined == 4)
  }

  @Test func `offset and limit cut the ordered matches`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(
      contentsOf: (0..<100).map { .sample($0, title: "t\($0 % 10)", author: "w\($0 % 2)") })
    let page = try await articles.find().where("author", isEqualTo: "w1")
      .sort(by: "title", ascending: false).sort(by: "id").offset(3).limit(4).execute()
    #expect(page.map(\.id) == [39, 49, 59, 69])
    #expect(try await articles.find().offset(95).execute().map(\.id) == [95, 96, 97, 98, 99])
    #expect(try await articles.find().offset(2).limit(2).execute().map(\.id) == [2, 3])
    #expect(try await articles.find().limit(0).execute().isEmpty)
    #expect(try await articles.find().offset(98).limit(5).count() == 2)
    #expect(try await articles.find().offset(98).limit(.max).execute().count == 2)
    #expect(try await articles.find().sort(by: "id").offset(98).limit(.max).execute().count == 2)
    #expect(try await articles.find().offset(.max).limit(.max).execute().isEmpty)
    #expect(try await articles.find().where("id", isEqualTo: 7).first()?.id == 7)
  }

  @Test func `predicates and key paths stand for conditions and fields`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(contentsOf: (0..<30).map { .sample($0, author: "w\($0 % 4)") })
    let found = try await articles.find().where(#Predicate { $0.author == "w1" && $0.id > 10 })
      .sort(by: \.publishedAt, ascending: false).execute()
    #expect(found.map(\.id) == [29, 25, 21, 17, 13])
    let plan = try await articles.find().where(#Predicate { $0.id == 7 }).explain()
    #expect(plan.access == .idLookup(count: 1))
    #expect(throws: UnsupportedPredicate.self) {
      try articles.find().where(#Predicate { $0.id % 2 == 0 })
    }
  }

  @Test func `distinct values are those of the matches, in order`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection("a", of: Article.self)
    try await articles.insert(contentsOf: (0..<30).map { .sample($0, author: "w\($0 % 4)") })
    let values = try await articles.find().where("id", isLessThan: 3).distinctValues(on: "author")
    #expect(values == ["w0", "w1", "w2"])
  }

  @Test func `a query deletes its matches and nothing else`() async throws {
    let scratch = try ScratchDatabase()
    let articles = try await scratch.database.collection(
      "a", of: Article.self, options: CollectionOptions(indexedFields: ["author"]))
    try await articles.insert(contentsOf: (0..<30).map { .sample($0, author: "w\($0 % 3)") })
    #expect(try await articles.find().where("author", isEqualTo: "w1").delete() == 10)
    #expect(try await articles.count() == 20)
    #expect(try await articles.find().where("author", isEqualTo: "w1").count() == 0)
  }
}
