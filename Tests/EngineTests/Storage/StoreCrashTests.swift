import Foundation
import NyaruEngine
import TestSupport
import Testing

/// Random histories that end in a crash, or in a failing call, and are recovered.
///
/// The state afterwards must be that after some prefix of what was acknowledged, with everything
/// that was synced in it; after a kill, everything acknowledged. Batches are whole, no sequence is
/// used twice, nothing is called damaged, and a walk over all slots sees the same.
@Suite struct StoreCrashTests {
  static let runCount = Int(ProcessInfo.processInfo.environment["NYARU_STORE_RUNS"] ?? "") ?? 60
  static let firstSeed = UInt64(ProcessInfo.processInfo.environment["NYARU_SEED"] ?? "") ?? 0

  @Test(arguments: Survival.allCases)
  func `a crash is a point in time, and what was synced is in it`(
    survival: Survival
  ) async throws {
    for seed in Self.firstSeed..<Self.firstSeed + UInt64(Self.runCount) {
      await Task.yield()  // Others wait for sockets meanwhile.
      var run = CrashRun(seed: seed, survival: survival)
      do {
        try run.play()
      } catch {
        Issue.record("seed \(seed), \(survival): \(error)")
      }
    }
  }
}

/// One history.
struct CrashRun {
  /// What must never happen.
  struct Violation: Error, CustomStringConvertible {
    var description: String
  }

  private var random: SeededGenerator
  private let survival: Survival
  private var disk = SimulatedDisk()
  private var history: [[Int: [UInt8]]] = [[:]]
  private var synced = 0
  private var used = Set<UInt64>()
  private var serial = 0
  private var attempt: [Int: [UInt8]]?
  private var pendingSync: (SyncWork, Int)?
  private var snapshots: [(StoreSnapshot, [Int: [UInt8]])] = []
  private var hasCompaction = false
  private let keepsMarkers: Bool

  init(seed: UInt64, survival: Survival) {
    random = SeededGenerator(seed: seed)
    self.survival = survival
    keepsMarkers = seed % 2 == 0
  }

  private var model: [Int: [UInt8]] { history[history.count - 1] }

  private var configuration: StoreConfiguration {
    var configuration = TestRecords.configuration(bootID: disk.bootID)
    configuration.keepsDeletionMarkers = keepsMarkers
    configuration.openFileLimit = 4
    return configuration
  }

  mutating func play() throws {
    let sessions = Int.random(in: 1...4, using: &random)
    for session in 0..<sessions {
      let mode = session == sessions - 1 || Bool.random(using: &random) ? survival : .kill
      try playSession(mode)
    }
    let store = try open()
    try expect(try contents(store) == model, "lost after recovery")
    try store.close()
    for name in disk.image.names() where name.hasPrefix("checkpoint.") {
      try disk.root.unlink(name)
    }
    let walked = try open()
    try expect(walked.openReport.kind == .walked, "not walked")
    try expect(walked.openReport.damaged == [], "a walk finds damage: \(walked.openReport)")
    try expect(try contents(walked) == model, "a walk sees something else")
  }

  private mutating func playSession(_ mode: Survival) throws {
    disk.setCrash(after: Int.random(in: 0...250, using: &random))
    if Int.random(in: 0..<10, using: &random) < 5 {
      disk.setFault(
        DiskFault(after: Int.random(in: 0...120, using: &random), code: 5, seed: random.next()))
    }
    var outcome = "ran"
    do throws(StorageError) { try run() } catch {
      guard disk.hasCrashed || isFault(error) else { throw Violation(description: "\(error)") }
      outcome = disk.hasCrashed ? "crashed" : "failed"
    }
    if let violation { throw violation }
    pendingSync = nil
    snapshots = []
    hasCompaction = false
    var survival = mode
    if outcome == "failed", Bool.random(using: &random) { survival = .kill }
    if outcome == "ran", Int.random(in: 0..<10, using: &random) < 3 { survival = .kill }
    trace.append("\(outcome) \(survival)")
    try crash(survival)
    try recover(survival)
  }

  private var violation: Violation?
  private var trace: [String] = []

  private func isFault(_ error: StorageError) -> Bool {
    switch error {
    case .io(let cause), .poisoned(let cause): cause.code == 5
    default: false
    }
  }

  private mutating func crash(_ survival: Survival) throws {
    disk = SimulatedDisk(disk.crashed(survival, &random))
  }

  private mutating func recover(_ survival: Survival) throws {
    for attempt in 0..<3 {
      let mayCrash = attempt < 2 && Bool.random(using: &random)
      if mayCrash { disk.setCrash(after: Int.random(in: 0...40, using: &random)) }
      do {
        let store = try open()
        disk.setCrash(after: nil)
        return try examine(store, survival)
      } catch let error as StorageError {
        guard disk.hasCrashed else { throw error }
        try crash(survival == .kill ? .kill : random.pick(Survival.allCases))
      }
    }
  }

  private mutating func examine(_ store: Store, _ survival: Survival) throws {
    let got = try contents(store)
    let first = survival == .kill ? history.count - 1 : synced
    let allowed = history[first...] + (attempt.map { [$0] } ?? [])
    if !allowed.contains(got) {
      let kind = history.contains(got) ? "an older state" : "no acknowledged prefix"
      throw Violation(description: "\(kind) after \(survival): \(store.openReport)")
    }
    try expect(!store.openReport.lostState, "false alarm: \(store.openReport)")
    try expect(store.nextSequence > (used.max() ?? 0), "a sequence is used twice")
    trace.append("\(store.openReport)")
    let report = try store.check()
    try expect(report.damaged == [], "damaged: \(report) \(trace.suffix(8))")
    history = [got]
    synced = 0
    attempt = nil
  }

  private func open() throws(StorageError) -> Store {
    try Store.open(directory: disk.root, configuration: configuration)
  }

  private func contents(_ store: Store) throws -> [Int: [UInt8]] {
    let contents = try TestRecords.contents(of: store.reader.snapshot())
    try expect(contents.damaged == 0, "a record does not read: \(store.openReport)")
    return contents.records
  }

  private func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws(Violation) {
    if !condition { throw Violation(description: text()) }
  }
}

extension CrashRun {
  private mutating func run() throws(StorageError) {
    var store = try open()
    for _ in 0..<60 {
      if pendingSync != nil, Int.random(in: 0..<10, using: &random) < 4 { try endSync(store) }
      if hasCompaction, Bool.random(using: &random) {
        hasCompaction = try !store.stepCompaction()
        if !hasCompaction { synced = history.count - 1 }
      }
      switch Int.random(in: 0..<100, using: &random) {
      case ..<45: try write(1, to: store)
      case ..<64: try write(Int.random(in: 2...6, using: &random), to: store)
      case ..<78: try beginSync(store)
      case ..<85:
        try store.checkpoint()
        synced = history.count - 1
      case ..<91:
        if !hasCompaction { hasCompaction = try store.beginCompaction() }
      case ..<95: holdSnapshot(store)
      case ..<97: readSnapshots()
      default:
        snapshots = []
        pendingSync = nil
        hasCompaction = false
        try store.close()
        synced = history.count - 1
        store = try open()
        // A call that failed may have left a file that nobody needs.
        if store.openReport.lostState || (store.openReport.kind != .clean && disk.hasFaultAhead) {
          violation = Violation(description: "closed and not clean: \(store.openReport)")
        }
      }
    }
  }

  private mutating func write(_ count: Int, to store: Store) throws(StorageError) {
    var next = model
    var records: [RecordWrite] = []
    var ids = Set<Int>()
    for _ in 0..<count {
      let id = Int.random(in: 0..<12, using: &random)
      guard ids.insert(id).inserted else { continue }
      serial += 1
      if next[id] != nil, Int.random(in: 0..<10, using: &random) < 3 {
        records.append(TestRecords.deletion(id))
        next[id] = nil
      } else {
        let size = Int.random(in: 1...60, using: &random) * 12
        let body = (0..<size).map { UInt8(truncatingIfNeeded: serial * 31 + $0) }
        records.append(TestRecords.write(id, body))
        next[id] = body
      }
    }
    attempt = next
    let first = try store.commit(records)
    let sequences = first..<first + UInt64(records.count)
    if !used.isDisjoint(with: sequences) {
      violation = Violation(description: "a sequence was given out twice")
    }
    used.formUnion(sequences)
    history.append(next)
    attempt = nil
  }

  private mutating func beginSync(_ store: Store) throws(StorageError) {
    if pendingSync != nil { try endSync(store) }
    if let work = try store.beginSync() {
      pendingSync = (work, history.count - 1)
    } else {
      synced = history.count - 1
    }
  }

  private mutating func endSync(_ store: Store) throws(StorageError) {
    guard let (work, state) = pendingSync else { return }
    pendingSync = nil
    work.run()
    try store.finishSync(work)
    synced = max(synced, state)
  }

  private mutating func holdSnapshot(_ store: Store) {
    if snapshots.count > 2 { snapshots.removeFirst() }
    snapshots.append((store.reader.snapshot(), model))
  }

  private mutating func readSnapshots() {
    for (snapshot, state) in snapshots {
      guard let contents = try? TestRecords.contents(of: snapshot) else { continue }
      if contents.records != state || contents.damaged > 0 {
        violation = Violation(description: "a snapshot changed")
      }
    }
  }
}
