/// Reading and writing a loaded store.
extension PhaseContext {
  func use() async throws {
    let engine = try await engine.open(folder: folder)
    if isWanted(.stream) { try await stream(engine) }
    if isWanted(.all), count <= 100_000 { try await all(engine) }
    if isWanted(.pointGet, .pointGetSynchronous) { try await read(engine) }
    if isWanted(.syncAfterThousand) { try await syncAfterThousand(engine) }
    if isWanted(.update) { try await update(engine) }
    if isWanted(.unitInsert) { try await insert(engine) }
    if isWanted(.unitDelete) { try await delete(engine) }
    if isWanted(.batchDelete) { try await deleteHalf(engine) }
    if isWanted(.compaction) { try await compact(engine) }
    guard only.isEmpty else { return }
    try recorder.record(.peakMemory, bytes: ProcessMemory.peak())
  }

  private func stream(_ engine: any Engine) async throws {
    var resident = 0
    for _ in 0..<3 {
      var watch = Stopwatch()
      _ = try await watch.time { try await engine.stream() }
      try recorder.record(.stream, operations: count, watch)
      // The first scan has read in what the engine keeps of its structures.
      if resident == 0 {
        ProcessMemory.resetPeak()
        resident = ProcessMemory.resident()
      }
    }
    try recorder.record(.streamMemory, bytes: max(0, ProcessMemory.peak() - resident))
    ProcessMemory.resetPeak()
  }

  private func all(_ engine: any Engine) async throws {
    for _ in 0..<3 {
      var watch = Stopwatch()
      let users = try await watch.time { try await engine.all() }
      guard users.count == count else { throw EngineError("\(users.count) users were found") }
      try recorder.record(.all, operations: count, watch)
    }
    ProcessMemory.resetPeak()
  }

  private func read(_ engine: any Engine) async throws {
    let ids = shuffled(0..<count, count: min(count, 50_000), salt: 2).map(UserSource.id)
    _ = try await engine.read(each: ids)
    var watch = Stopwatch()
    let sum = try await watch.time { try await engine.read(each: ids) }
    try recorder.record(.pointGet, operations: ids.count, watch)
    guard let nyaru = engine as? NyaruEngine else { return }
    var plain = Stopwatch()
    let same = try await plain.time { try nyaru.readSynchronously(each: ids) }
    guard same == sum else { throw EngineError("two reads differ") }
    try recorder.record(.pointGetSynchronous, operations: ids.count, plain)
  }

  private func syncAfterThousand(_ engine: any Engine) async throws {
    for round in 0..<3 {
      let numbers = shuffled(0..<count, count: 1000, salt: 3 + UInt64(round))
      try await engine.update(each: source.users(numbers).map { $0.moved() })
      var watch = Stopwatch()
      try await watch.time { try await engine.sync() }
      try recorder.record(.syncAfterThousand, operations: 1, watch)
    }
  }

  private func update(_ engine: any Engine) async throws {
    var updates = Stopwatch()
    let known = shuffled(0..<count, count: unitCount, salt: 10)
    for piece in Self.pieces(of: known) {
      let users = source.users(piece).map { $0.moved().moved() }
      try await updates.time { try await engine.update(each: users) }
    }
    try recorder.record(.update, operations: known.count, updates)
  }

  private func insert(_ engine: any Engine) async throws {
    var inserts = Stopwatch()
    let new = shuffled(count..<count + unitCount, count: unitCount, salt: 11)
    for piece in Self.pieces(of: new) {
      let users = source.users(piece)
      try await inserts.time { try await engine.insert(each: users) }
    }
    try recorder.record(.unitInsert, operations: new.count, inserts)
  }

  private func delete(_ engine: any Engine) async throws {
    var deletions = Stopwatch()
    let gone = shuffled(0..<count + unitCount, count: unitCount, salt: 12).map(UserSource.id)
    try await deletions.time { try await engine.delete(each: gone) }
    try recorder.record(.unitDelete, operations: gone.count, deletions)
  }

  private func deleteHalf(_ engine: any Engine) async throws {
    let gone = Set(shuffled(0..<count + unitCount, count: unitCount, salt: 12))
    let left = (0..<count + unitCount).filter { !gone.contains($0) }
    var random = SplitMix(seed: seed)
    let ids = left.shuffled(using: &random).prefix(left.count / 2).map(UserSource.id)
    var watch = Stopwatch()
    try await watch.time { try await engine.delete(batch: ids) }
    try recorder.record(.batchDelete, operations: ids.count, watch)
  }

  private func compact(_ engine: any Engine) async throws {
    var watch = Stopwatch()
    try await watch.time { try await engine.compact() }
    try recorder.record(.compaction, operations: 1, watch)
    try await engine.close()
    try recorder.record(.sizeCompacted, bytes: FolderSize.allocated(folder))
  }
}
