import NyaruEngine
import TestSupport
import Testing

/// A task that is cancelled, between any two pieces of a write, leaves the collection whole.
@Suite(.timeLimit(.minutes(30))) struct CancellationTests {
  static let policies: [DatabaseOptions.AutoSync] = [.off, .everyWrite]

  @Test(arguments: WriterScript.writes + WriterScript.upkeep, policies)
  func `a write that is cancelled happened or did not`(
    script: WriterScript, policy: DatabaseOptions.AutoSync
  ) async throws {
    var pieces = 0
    var isOver = false
    while !isOver {
      isOver = try await run(script, policy, cancelledAfter: pieces)
      pieces += 1
      try #require(pieces < 1000)
    }
    #expect(pieces > 1)
  }

  /// - Returns: Whether the write had no piece left to be cancelled before.
  private func run(
    _ script: WriterScript, _ policy: DatabaseOptions.AutoSync, cancelledAfter pieces: Int
  ) async throws -> Bool {
    let world = try await GatedWorld(policy)
    let (database, items) = (world.database, world.items)
    let executor = SteppingExecutor()
    let task = Task(executorPreference: executor) {
      defer { executor.end() }
      try await script.run(database, items)
    }
    var taken = 0
    while taken < pieces, executor.step() { taken += 1 }
    task.cancel()
    while executor.step() {}
    let outcome = await task.result
    var after = world.contents
    script.apply(&after)
    let seen = try await items.all()
    #expect(seen == after.values.byID || seen == world.contents.values.byID)
    if case .success = outcome { #expect(seen == after.values.byID) }
    try await checkUse(of: world, seen)
    return taken < pieces
  }

  /// The collection takes writes, agrees with itself, and is found so after a kill.
  private func checkUse(of world: GatedWorld, _ seen: [Item]) async throws {
    let items = world.items
    try await items.insert(Item(900, 900))
    try await items.sync()
    try await items.compact()
    let expected = seen + [Item(900, 900)]
    #expect(try await items.all() == expected)
    #expect(try await items.core.check().damaged.isEmpty)
    let found = try await items.find().where("number", isGreaterThan: 6).execute()
    #expect(found.byID == expected.filter { $0.number > 6 })
    let (database, copies) = try await world.reopened()
    #expect(try await copies.all() == expected)
    #expect(try await copies.core.check().damaged.isEmpty)
    try await database.close()
    try await world.database.close()
  }
}
