/// Flushing, checkpoints and compaction.
extension CollectionCore {
  /// Makes everything written so far durable; writes go on meanwhile.
  ///
  /// Calls that overlap share a flush. - Returns: The sequence up to which all is durable.
  @discardableResult
  package func sync() async throws(NyaruError) -> UInt64 {
    try checkOpen()
    let target = store.nextSequence - 1
    repeat {
      if flushes.isRunning {
        await withCheckedContinuation { flushes.waiters.append($0) }
      } else {
        flushes.isRunning = true
        let isDone = await flush()
        flushes.isRunning = false
        for waiter in flushes.takeWaiters() { waiter.resume() }
        do throws(StorageError) { if try isDone.get() { break } } catch { throw NyaruError(error) }
      }
    } while reader.durableSequence < target
    unsyncedWrites = 0
    lastSync = now()
    return reader.durableSequence
  }

  /// One flush for all who wait, and for those who are about to.
  ///
  /// Those whom the last flush served mostly write again at once: a few turns are left to them.
  ///
  /// - Returns: Whether there was nothing to flush.
  private func flush() async -> Result<Bool, StorageError> {
    var turns = 0
    while flushes.waiters.count + 1 < flushes.lastGroup, turns < Flushes.turnLimit {
      await Task.yield()
      turns += 1
    }
    do throws(StorageError) {
      guard let work = try store.beginSync() else { return .success(true) }
      await BlockingCalls.run { work.run() }
      try store.finishSync(work)
      return .success(false)
    } catch {
      return .failure(error)
    }
  }

  /// Flushes where the policy asks for it.
  func flushIfDue(written count: Int) async throws(NyaruError) {
    guard count > 0 else { return }
    unsyncedWrites += count
    let isDue =
      switch policy.autoSync {
      case .off: false
      case .everyWrite: true
      case .afterWrites(let limit): unsyncedWrites >= limit
      case .interval(let seconds): Double(now()) - Double(lastSync) >= seconds * 1000
      }
    if isDue { try await sync() }
  }

  /// Gives the space of garbage back, shard by shard; reads and writes go on between its steps.
  ///
  /// A second call while one runs returns at once. `minimumGarbage` is a share of a shard.
  package func compact(minimumGarbage: Double = 0) async throws(NyaruError) {
    guard try beginCompaction(minimumGarbage: minimumGarbage) else { return }
    while try !stepCompaction() { await Task.yield() }
  }

  /// Begins a compaction, unless one runs or there is no garbage; the steps carry it out.
  package func beginCompaction(minimumGarbage: Double = 0) throws(NyaruError) -> Bool {
    try checkOpen()
    if isCompacting { return false }
    isCompacting = try NyaruError.storage { () throws(StorageError) in
      try store.beginCompaction(minimumGarbage: minimumGarbage)
    }
    return isCompacting
  }

  /// Carries out a part of the compaction; `true` at its end.
  package func stepCompaction() throws(NyaruError) -> Bool {
    var isRunning = false
    defer { isCompacting = isRunning }
    try checkOpen()
    isRunning = try !NyaruError.storage { () throws(StorageError) in try store.stepCompaction() }
    return !isRunning
  }

  /// Writes down the state, so that the next opening reads no slots.
  package func checkpoint() throws(NyaruError) {
    try checkOpen()
    try NyaruError.storage { () throws(StorageError) in try store.checkpoint() }
  }

  /// Reads every byte of the collection and compares it with what memory says.
  package func check() throws(NyaruError) -> CheckReport {
    try checkOpen()
    do throws(StorageError) { return try store.check() } catch { throw NyaruError(error) }
  }

  /// The files in which recoveries have kept bytes that did not read.
  package func quarantined() throws(NyaruError) -> [String] {
    try NyaruError.storage { () throws(StorageError) in
      do throws(IOError) { return try place.directory.quarantined() } catch { throw .io(error) }
    }
  }
}

/// Who waits for the flush that runs, to be told or to start the next one.
struct Flushes {
  /// Turns of the actor that a flush leaves to others before it begins.
  static let turnLimit = 64

  var isRunning = false
  var waiters: [CheckedContinuation<Void, Never>] = []

  /// How many were served by the last flush, or waited during it.
  private(set) var lastGroup = 1

  mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
    defer { waiters = [] }
    lastGroup = waiters.count + 1
    return waiters
  }
}
