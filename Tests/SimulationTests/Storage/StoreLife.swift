import NyaruEngine
import TestSupport

/// A store on a simulated disk from one opening to the next crash, and all that it has promised.
struct StoreLife {
  /// From so many calls of the disk on, this is what is promised.
  struct Moment {
    var callCount: Int
    var promise: StorePromise
  }

  /// A sync beside the writer.
  private struct Job {
    var work: SyncWork
    var index: Int

    /// Its calls come one at a time, between writes; else all at once, by whoever needs it.
    var isDeferred: Bool
  }

  let disk: SimulatedDisk
  let configuration: StoreConfiguration
  private(set) var store: Store

  /// The store may be used; not after it was closed or opening it again has failed.
  private(set) var isOpen = true
  private(set) var promise: StorePromise
  private(set) var moments: [Moment]
  private var job: Job?
  private var snapshots: [(snapshot: StoreSnapshot, state: StoreState)] = []

  /// Opens what a crash has left, and finds out which of the allowed states that is.
  init(
    _ image: DiskImage, _ promise: StorePromise, after survival: Survival,
    _ configuration: StoreConfiguration, expecting damage: InjectedDamage = .none
  ) throws {
    disk = SimulatedDisk(image)
    self.promise = promise
    moments = [Moment(callCount: 0, promise: promise)]
    var configuration = configuration
    configuration.bootID = disk.bootID
    self.configuration = configuration
    store = try Store.open(directory: disk.root, configuration: configuration)
    try settle(after: survival, damage)
  }

  var hasJob: Bool { job != nil }

  /// Writes bodies, and deletes where there is none.
  mutating func write(_ changes: [(id: Int, body: [UInt8]?)]) throws {
    var next = promise.acknowledged
    for (id, body) in changes { next[id] = body }
    promise.attempt = next
    promise.attemptedSequence = store.nextSequence - 1 + UInt64(changes.count)
    note()
    let records = changes.map { id, body in
      body.map { TestRecords.write(id, $0, indexed: !configuration.indexes.isEmpty) }
        ?? TestRecords.deletion(id)
    }
    do {
      let first = try store.commit(records)
      guard first + UInt64(changes.count) == store.nextSequence else {
        throw BrokenPromise("a batch takes other sequences than it should")
      }
    } catch {
      // What failed before anything was written leaves nothing.
      if store.poison == nil { promise.attempt = nil }
      note()
      throw error
    }
    promise.lastSequence = store.nextSequence - 1
    promise.acknowledge(next)
    note()
  }

  /// Starts a sync beside the writer; what it promises counts from ``stepSync()`` on.
  mutating func beginSync(deferring isDeferred: Bool) throws {
    try waitForDeferredSync()
    while let work = try store.beginSync() {
      guard work !== job?.work else {
        // One at a time: this one may have begun too early.
        try finishSync()
        continue
      }
      if isDeferred { disk.deferringSyncs { work.run() } }
      job = Job(work: work, index: promise.acknowledgedIndex, isDeferred: isDeferred)
      return
    }
    promise.noteSync(of: promise.acknowledgedIndex)
    note()
  }

  /// Lets the sync beside the writer do one call, or end.
  mutating func stepSync() throws {
    guard let current = job, !disk.runDeferredSync() else { return }
    job = nil
    try store.finishSync(current.work)
    promise.noteSync(of: current.index)
    note()
  }

  /// Lets the sync beside the writer do all that it has to do.
  mutating func finishSync() throws {
    while job != nil { try stepSync() }
  }

  /// Waits for a sync whose calls are deferred, as whoever takes it over would.
  private mutating func waitForDeferredSync() throws {
    if job?.isDeferred ?? false { try finishSync() }
  }

  mutating func sync() throws { try makeDurable { try $0.sync() } }

  mutating func checkpoint() throws { try makeDurable { try $0.checkpoint() } }

  func beginCompaction() throws -> Bool { try store.beginCompaction() }

  mutating func stepCompaction() throws -> Bool {
    try waitForDeferredSync()
    let isFinished = try store.stepCompaction()
    note()
    return isFinished
  }

  /// Closes the store in order, and opens it again.
  mutating func closeAndOpen() throws {
    snapshots = []
    try makeDurable { try $0.close() }
    try open(survival: .kill)
    // A call that failed may have left a file that nobody needs.
    guard store.openReport.kind == .clean || disk.journal.contains(where: \.isFailure) else {
      throw BrokenPromise("a closed store was not clean: \(store.openReport)")
    }
  }

  /// Opens the store again without closing it, as after a failure or a kill.
  mutating func reopen() throws {
    snapshots = []
    job = nil
    while disk.runDeferredSync() {}
    let start = moments.last { $0.promise.attempt == nil }?.callCount ?? 0
    promise.crash(.kill, after: disk.journal[start...])
    note()
    try open(survival: .kill)
  }

  mutating func holdSnapshot() {
    snapshots.append((store.reader.snapshot(), promise.acknowledged))
  }

  mutating func dropSnapshot(_ random: inout SeededGenerator) {
    guard !snapshots.isEmpty else { return }
    snapshots.remove(at: Int.random(in: 0..<snapshots.count, using: &random))
  }

  var snapshotCount: Int { snapshots.count }

  /// Every snapshot sees what it saw, and the store what it acknowledged.
  func checkReaders() throws {
    for (snapshot, state) in snapshots {
      let (records, damaged) = try TestRecords.contents(of: snapshot)
      guard records == state, damaged == 0 else {
        throw BrokenPromise("a snapshot of \(snapshot.sequence) sees something else")
      }
    }
    let (records, damaged) = try TestRecords.contents(of: store.reader.snapshot())
    guard records == promise.acknowledged, damaged == 0 else {
      throw BrokenPromise(
        "memory and disk differ: " + promise.complaint(about: records, after: .kill))
    }
  }

  /// After a failed write or sync every write and sync is refused, and reads go on.
  func checkRefusal() throws {
    guard isOpen, store.poison != nil else { return }
    for attempt in [
      { try store.commit([TestRecords.deletion(1)]) }, { try store.sync() },
      { try store.checkpoint() }, { _ = try store.beginSync() },
    ] as [() throws -> Any] {
      do {
        _ = try attempt()
        throw BrokenPromise("a poisoned store goes on")
      } catch StorageError.poisoned {
      } catch StorageError.closed {}
    }
    try checkReaders()
  }

  private mutating func makeDurable(_ body: (Store) throws -> Void) throws {
    try waitForDeferredSync()
    try body(store)
    job = nil
    promise.noteSync(of: promise.acknowledgedIndex)
    note()
  }

  private mutating func open(survival: Survival) throws {
    isOpen = false
    store = try Store.open(directory: disk.root, configuration: configuration)
    try settle(after: survival, .none)
    isOpen = true
  }

  private mutating func settle(after survival: Survival, _ damage: InjectedDamage) throws {
    let (records, damaged) = try TestRecords.contents(of: store.reader.snapshot())
    let hidden: Int? = if case .record(let id) = damage { id } else { nil }
    guard promise.allows(records, after: survival, ignoring: hidden) else {
      throw BrokenPromise(
        promise.complaint(about: records, after: survival) + ", \(store.openReport)")
    }
    guard damaged == 0 || hidden != nil else { throw BrokenPromise("a record does not read") }
    guard store.nextSequence > promise.lastSequence else {
      throw BrokenPromise(
        "sequence \(store.nextSequence) was given out, up to \(promise.lastSequence)")
    }
    if store.poison == nil {
      promise.settle(records, lastSequence: store.nextSequence - 1)
    } else {
      promise.show(records)
    }
    note()
  }

  private mutating func note() {
    moments.append(Moment(callCount: disk.callCount, promise: promise))
  }
}

/// What a test does to the disk between a crash and the next opening.
enum InjectedDamage: Equatable {
  case none

  /// The newer cell of the head.
  case head

  /// Every checkpoint.
  case checkpoint

  /// A byte of a record.
  case record(Int)
}
