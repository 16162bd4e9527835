import NyaruEngine
import TestSupport

/// A history in which calls to the disk fail, and what must hold then.
struct ErrorPoint {
  /// What must never happen.
  struct Violation: Error, CustomStringConvertible {
    var description: String
  }

  private let workload: CrashWorkload
  private let fault: DiskFault
  private let disk = SimulatedDisk()
  private var run: WorkloadRun
  private var random: SeededGenerator

  /// What a power cut may leave: the states from the last durable one on.
  private var durable: [[Int: Note]] = [[:]]

  /// What a reader may see, and a kill may leave: the state, or also what failed half-way.
  private var current: [[Int: Note]] = [[:]]

  init(_ workload: CrashWorkload, _ fault: DiskFault) {
    self.workload = workload
    self.fault = fault
    run = WorkloadRun(disk, options: workload.options)
    random = SeededGenerator(seed: fault.seed)
    disk.setFault(fault)
  }

  mutating func check() async throws {
    do {
      try await run.open()
      for step in workload.steps {
        try await run.perform(step)
        current = [run.state]
        durable = (run.isDurable ? [] : durable) + current
      }
      try await run.close()
      durable = current
    } catch {
      guard error is NyaruError, !disk.failures.isEmpty else { throw error }
      current = [run.state] + (run.attempt.map { [$0] } ?? [])
      durable += current
      try await probe()
    }
    guard !disk.failures.isEmpty else { throw Violation(description: "the call did not come") }
    try await checkPowerCut("after the failure")
    disk.setFault(nil)
    // It says again that something had failed, and lets go of the lock nevertheless.
    do { try await run.close() } catch is NyaruError {}
    try await reopen()
  }

  /// What the handle that met the failure still does.
  private mutating func probe() async throws {
    guard run.notes != nil else { return }
    let wasPoisoned = isPoisoned
    try await checkReads()
    for attempt in 1...2 {
      guard await succeeds({ try await $0.sync() }) else { continue }
      if wasPoisoned { throw Violation(description: "sync \(attempt) succeeds after a failure") }
      try await takeContents()
      durable = current
      try await checkPowerCut("after a sync that succeeded")
    }
    let note = CrashWorkload.note(77, size: 30, serial: 3)
    let next = current.map { $0.merging([77: note]) { $1 } }
    let isWritten = await succeeds { try await $0.upsert(note) }
    if isWritten, wasPoisoned {
      throw Violation(description: "a write succeeds after a failure")
    }
    current = isWritten ? next : current + next
    durable += next
    try await checkReads()
  }

  /// A write or fsync of something that the collection depends on has failed, so nobody knows
  /// what is on the disk. Files of a compaction, whose numbers are odd, count only later.
  private var isPoisoned: Bool {
    disk.failures.contains { failure in
      let name = failure.path.split(separator: "/").last ?? ""
      let isOdd = name.last?.hexDigitValue.map { $0 % 2 == 1 } ?? true
      let isShard = failure.path.contains("/shards/") && !isOdd
      return ["pwrite", "fdatasync"].contains(failure.operation)
        && (isShard || name == "head")
    }
  }

  /// Reads go on, unless it is reads that fail.
  private func checkReads() async throws {
    do {
      let found = try await run.contents()
      guard current.contains(found) else {
        throw Violation(description: "a reader sees \(found.keys.sorted())")
      }
    } catch let error as NyaruError {
      guard fault.isPersistent || error == .closed else {
        throw Violation(description: "reads do not go on: \(error)")
      }
    }
  }

  private mutating func takeContents() async throws {
    do {
      let found = try await run.contents()
      guard current.contains(found) else {
        throw Violation(description: "a reader sees \(found.keys.sorted())")
      }
      current = [found]
    } catch is NyaruError {}
  }

  private func succeeds(
    _ body: (NyaruCollection<Note>) async throws -> Void
  ) async -> Bool {
    guard let notes = run.notes else { return false }
    do {
      try await body(notes)
      return true
    } catch {
      return false
    }
  }

  private mutating func checkPowerCut(_ moment: String) async throws {
    let survival = random.pick([Survival.prefix, .subset])
    let image = disk.image.crashed(survival, &random)
    var restarted = WorkloadRun(SimulatedDisk(image), options: workload.options)
    try await restarted.open()
    let found = try await restarted.contents()
    guard durable.contains(found) else {
      throw Violation(
        description: "\(moment), \(survival): \(found.keys.sorted()), \(disk.failures)")
    }
    try await restarted.close()
  }

  /// In the same process and boot nothing acknowledged is missing; after a sync, for good.
  private mutating func reopen() async throws {
    try await run.open()
    try await take("lost")
    try await run.notes?.sync()
    try await checkPowerCut("after reopening and a sync")
    let note = CrashWorkload.note(88, size: 40, serial: 2)
    try await run.notes?.upsert(note)
    try await run.close()
    current = [current[0].merging([88: note]) { $1 }]
    durable = current
    try await checkPowerCut("after reopening and closing")
    try await run.open()
    try await take("another state after closing and opening")
    guard try await run.notes?.core.check().isSound ?? false else {
      throw Violation(description: "the check finds damage")
    }
    try await run.close()
  }

  private mutating func take(_ complaint: String) async throws {
    let found = try await run.contents()
    guard current.contains(found) else {
      throw Violation(description: "\(complaint): \(found.keys.sorted()), \(disk.failures)")
    }
    current = [found]
    durable = current
  }
}
