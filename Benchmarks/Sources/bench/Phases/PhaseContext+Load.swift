/// Filling, opening, and being killed.
extension PhaseContext {
  func load() async throws {
    let engine = try await engine.open(folder: folder)
    let before = ProcessMemory.allocated()
    var watch = Stopwatch()
    for piece in Self.pieces(of: Array(0..<count)) {
      let users = source.users(piece)
      try await watch.time { try await engine.insert(batch: users) }
    }
    try recorder.record(.bulkInsert, operations: count, watch)
    let allocated = max(0, ProcessMemory.allocated() - before)
    try recorder.record(.memoryPerDocument, value: Double(allocated) / Double(count))
    try await engine.close()
    try recorder.record(.sizeLoaded, bytes: FolderSize.allocated(folder))
    try recorder.record(.peakMemoryLoading, bytes: ProcessMemory.peak())
  }

  func open(_ metric: Metric) async throws {
    let id = UserSource.id(count / 2)
    var watch = Stopwatch()
    var opened: (any Engine)?
    var sum = 0
    try await watch.time {
      let engine = try await self.engine.open(folder: folder)
      sum = try await engine.read(each: [id])
      opened = engine
    }
    guard UserSource.ages.contains(sum) else { throw EngineError("\(id) was not found") }
    try recorder.record(metric, operations: 1, watch)
    try await opened?.close()
  }

  /// Updates users one by one and dies without a word.
  func kill() async throws {
    let engine = try await engine.open(folder: folder)
    let numbers = shuffled(0..<count, count: min(writes, count), salt: 1)
    var written = 0
    while written < writes {
      for piece in Self.pieces(of: numbers) {
        try await engine.update(each: source.users(piece).map { $0.moved() })
      }
      written += numbers.count
    }
    Kill.thisProcess()
  }
}
