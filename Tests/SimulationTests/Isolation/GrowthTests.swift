import Foundation
import NyaruEngine
import TestSupport
import Testing

/// What a reader that stays holds back, and what not.
///
/// `NYARU_UPDATES` is how often the document is updated.
@Suite struct GrowthTests {
  private static let checkpointInterval = 32 << 20
  private static let updates =
    Int(ProcessInfo.processInfo.environment["NYARU_UPDATES"] ?? "") ?? 30_000
  private static let size = 3_900

  @Test func `one document updated again and again under a stream takes bounded space`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let database = try NyaruDB(path: directory.path("db"))
    let items = try await database.collection("items", of: Item.self)
    try await items.insert(contentsOf: (0..<8).map { Item($0, 0, size: Self.size) })
    var stream = items.stream(batchSize: 1).makeAsyncIterator()
    #expect(try await stream.next() == Item(0, 0, size: Self.size))
    let live = await items.stats().liveSize
    for number in 1...Self.updates { try await items.update(Item(7, number, size: Self.size)) }
    let statistics = await items.stats()
    #expect(statistics.liveSize == live)
    #expect(statistics.size <= 4 * live + UInt64(Self.checkpointInterval))
    #expect(try fileSize(below: directory.path("db/collections")) <= 2 * statistics.size)
    var rest: [Item] = []
    while let item = try await stream.next() { rest.append(item) }
    #expect(rest == (1..<8).map { Item($0, 0, size: Self.size) })
    #expect(try await items.get(id: 7)?.number == Self.updates)
    try await database.close()
  }

  @Test func `compactions under a snapshot keep one old file, not all of them`() async throws {
    let directory = try TemporaryDirectory()
    let database = try NyaruDB(path: directory.path("db"))
    let items = try await database.collection("items", of: Item.self)
    try await items.insert(contentsOf: (0..<50).map { Item($0, 0, size: 400) })
    let snapshot = items.snapshot()
    for number in 1...20 {
      try await items.upsert(contentsOf: (0..<50).map { Item($0, number, size: 400) })
      try await items.compact()
    }
    let statistics = await items.stats()
    let shards = directory.path("db/collections/items/shards")
    #expect(try fileSize(below: shards) <= 4 * statistics.size)
    #expect(try snapshot.all() == (0..<50).map { Item($0, 0, size: 400) })
    try await database.close()
  }

  /// Bytes of all files below a directory.
  private func fileSize(below path: String) throws -> UInt64 {
    let names = try FileManager.default.subpathsOfDirectory(atPath: path)
    return try names.reduce(0) { sum, name in
      let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { return sum }
      return sum + (attributes[.size] as? UInt64 ?? 0)
    }
  }
}
