import Synchronization

/// Making durable what was written.
extension Store {
  /// What must reach the disk for everything written so far to be durable; `nil` if nothing.
  ///
  /// One work is in flight at a time: while one has not run, this returns that one, whose target
  /// may be lower than the last sequence. So a caller that wants a certain sequence durable goes
  /// on until ``StoreReader/durableSequence`` has reached it.
  package func beginSync() throws(StorageError) -> SyncWork? {
    try checkWritable()
    if let work = inFlight {
      guard work.isFinished else { return work }
      try finishSync(work)
    }
    removeZombies()
    let target = nextSequence - 1
    guard durableSequence < target || !dirty.isEmpty || hasFreshNames else { return nil }
    let isHeadDue = head.isDue
    let work = SyncWork(
      target: target, files: dirtyFiles + (isHeadDue ? [head.file] : []),
      directory: hasFreshNames ? shardDirectory : nil,
      headCount: isHeadDue ? head.cell.count : nil)
    dirty = [:]
    hasFreshNames = false
    inFlight = work
    return work
  }

  /// Takes over the outcome of a work, which runs if it has not yet.
  ///
  /// Calling it again does no harm: it says what the first call said.
  package func finishSync(_ work: SyncWork) throws(StorageError) {
    if case .failure(let error) = work.run() {
      let isKnown = poison != nil
      poison = poison ?? error
      throw isKnown ? .poisoned(error) : .io(error)
    }
    guard inFlight === work else { return }
    inFlight = nil
    if let count = work.headCount { head.noteSync(count: count) }
    noteDurable(work.target)
    try poisoning { () throws(IOError) in try writeHead(sync: false) }
  }

  /// Returns when everything that was written is durable.
  package func sync() throws(StorageError) {
    let target = nextSequence - 1
    repeat {
      guard let work = try beginSync() else { return }
      try finishSync(work)
    } while durableSequence < target
  }

  /// Runs and finishes the work in flight: who needs durable data must know how it ended.
  func takeOverSync() throws(StorageError) {
    if let work = inFlight { try finishSync(work) }
  }

  func noteDurable(_ sequence: UInt64) {
    durableSequence = max(durableSequence, sequence)
    let durable = durableSequence
    source.state.withLock { state in
      state.durableSequence = durable
      state.statistics.activity.syncs += 1
    }
  }
}
