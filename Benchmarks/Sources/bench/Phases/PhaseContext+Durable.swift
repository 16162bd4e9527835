/// Writes that are on the disk when they return.
extension PhaseContext {
  private static let writers = 16

  func durable() async throws {
    let engine = try await engine.open(folder: folder, isDurable: true)
    try await engine.insert(batch: source.users(0..<1000))
    let users = source.users(shuffled(1000..<2000, count: 1000, salt: 20))
    var alone = Stopwatch()
    try await alone.time { try await engine.insert(each: users) }
    try recorder.record(.durableInsert, operations: users.count, alone)

    let share = 250
    let shares = (0..<Self.writers).map { writer in
      let first = 2000 + writer * share
      return source.users(shuffled(first..<first + share, count: share, salt: 21))
    }
    var together = Stopwatch()
    try await together.time { try await engine.insert(each: shares) }
    try recorder.record(.durableInsertConcurrent, operations: Self.writers * share, together)
    try await engine.close()
  }
}
