import NyaruEngine
import Synchronization
import TestSupport
import Testing

/// Readers, a writer, syncs and compactions at full speed: each reader sees one batch whole.
@Suite(.timeLimit(.minutes(30))) struct ConcurrentReadersTests {
  private static let count = 60
  private static let batches = 60

  @Test(arguments: [DatabaseOptions.AutoSync.off, .everyWrite, .afterWrites(100)])
  func `every reader sees one batch whole`(policy: DatabaseOptions.AutoSync) async throws {
    let directory = try TemporaryDirectory()
    let database = try NyaruDB(
      path: directory.path("db"), options: DatabaseOptions(autoSync: policy))
    let items = try await database.collection("items", of: Item.self, options: Item.options)
    try await items.insert(contentsOf: (0..<Self.count).map { Item($0, 0) })
    let end = End()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for kind in 0..<4 {
        group.addTask {
          var last = 0
          while !end.isHere {
            last = try await Self.read(kind, items, atLeast: last)
            await Task.yield()
          }
        }
      }
      group.addTask {
        while !end.isHere {
          try await items.compact()
          try await items.sync()
        }
      }
      group.addTask {
        // The others end with this one, also where it fails.
        defer { end.come() }
        for number in 1...Self.batches { try await Self.write(number, items) }
      }
      try await group.waitForAll()
    }
    #expect(
      try await items.all().map(\.number) == Array(repeating: Self.batches, count: Self.count))
    #expect(try await items.core.check().damaged.isEmpty)
    try await database.close()
  }

  /// The writer is done.
  private final class End: Sendable {
    private let flag = Atomic(false)

    var isHere: Bool { flag.load(ordering: .acquiring) }

    func come() { flag.store(true, ordering: .releasing) }
  }

  /// Replaces everything in one batch, and deletes and brings back a document besides.
  private static func write(_ number: Int, _ items: NyaruCollection<Item>) async throws {
    try await items.upsert(
      contentsOf: (0..<count).map { Item($0, number, size: ($0 &* 37 &+ number &* 11) % 200) })
    try await items.insert(Item(1000, -1))
    try await items.delete(id: 1000)
  }

  /// - Returns: The batch that was seen, which no later reader may fall behind.
  private static func read(
    _ kind: Int, _ items: NyaruCollection<Item>, atLeast last: Int
  ) async throws -> Int {
    let everything = Filter.greaterThanOrEqual("number", 0)
    var seen: [Item] = []
    switch kind {
    case 0: for try await item in items.stream(batchSize: 5) { seen.append(item) }
    case 1: seen = try await items.find(everything).execute()
    case 2:
      let snapshot = items.snapshot()
      seen = try (0..<count).compactMap { try snapshot.document(id: $0) }
    default:
      // No point in time, but each document on its own is never older than what was seen.
      for id in 0..<count {
        if let item = try await items.get(id: id) { seen.append(item) }
      }
      #expect(seen.allSatisfy { $0.number >= last })
      return seen.map(\.number).min() ?? last
    }
    seen.removeAll { $0.id == 1000 }
    let numbers = Set(seen.map(\.number))
    #expect(seen.count == count && numbers.count == 1, "\(numbers) at once")
    #expect(numbers.allSatisfy { $0 >= last })
    return numbers.max() ?? last
  }
}
