import FoundationEssentials
import NyaruEngine
import TestSupport
import Testing

/// A crash at each mutating call of each history, in each way that a disk can survive.
///
/// Three quarters of the ``CrashBudget`` are spent here; every call of every history is tried at
/// least once. A failure names the history, the call, the survival and the seed.
@Suite struct CrashEnumerationTests {
  static let pointCount = CrashBudget.pointCount * 3 / 4

  @Test(arguments: CrashWorkload.all)
  func `a crash is a point in time, and what was synced is in it`(
    workload: CrashWorkload
  ) async throws {
    let trace = try await workload.run()
    let perRound = trace.journal.count * Survival.allCases.count
    let share = Self.pointCount / CrashWorkload.all.count
    let rounds = max(1, (share + perRound - 1) / perRound)
    var image = DiskImage()
    for (call, event) in trace.journal.enumerated() {
      for survival in Survival.allCases {
        // A killed process leaves nothing to chance but the call under way.
        for round in 0..<(survival == .kill ? min(rounds, 4) : rounds) {
          let seed = UInt64(call * 1000 + round)
          var random = SeededGenerator(seed: seed)
          let crashed = image.crashed(survival, during: event, &random)
          let point = CrashPoint(
            workload: workload, trace: trace, call: call, survival: survival, random: random)
          await Task.yield()  // Others wait for sockets meanwhile.
          do {
            try await point.check(crashed)
          } catch {
            Issue.record("\(workload.name), call \(call), \(survival), seed \(seed): \(error)")
            return
          }
        }
      }
      image.apply(event)
    }
  }
}

/// How many crashes are tried in all: `NYARU_CRASH_POINTS`, or what a CI run has time for.
enum CrashBudget {
  static let pointCount =
    Int(ProcessInfo.processInfo.environment["NYARU_CRASH_POINTS"] ?? "") ?? 100_000
}

/// One crash, and what must hold after it.
struct CrashPoint {
  /// What must never happen.
  struct Violation: Error, CustomStringConvertible {
    var description: String
  }

  let workload: CrashWorkload
  let trace: CrashWorkload.Trace
  let call: Int
  let survival: Survival
  var random: SeededGenerator

  /// Recovers, in some cases after a second crash during the recovery, and compares.
  func check(_ crashed: DiskImage) async throws {
    var random = random
    var image = crashed
    if Int.random(in: 0..<3, using: &random) == 0 {
      let disk = SimulatedDisk(image)
      disk.setCrash(after: Int.random(in: 0...30, using: &random))
      if let database = try? open(disk) {
        _ = try? await database.collection(
          "notes", of: Note.self, options: CrashWorkload.shape)
      }
      if disk.hasCrashed { image = disk.crashed(survival, &random) }
    }
    // A checkpoint is a cache: without it the slots say the same.
    let isWalk = Int.random(in: 0..<5, using: &random) == 0
    if isWalk { Self.removeCheckpoints(&image) }
    try await compare(SimulatedDisk(image), isWalk: isWalk)
  }

  private static func removeCheckpoints(_ image: inout DiskImage) {
    for collection in image.names("collections") where !collection.contains(".") {
      let path = "collections/" + collection
      for name in image.names(path) where name.hasPrefix("checkpoint.") {
        image.remove(path + "/" + name)
      }
    }
  }

  private func compare(_ disk: SimulatedDisk, isWalk: Bool) async throws {
    let database = try open(disk)
    let notes = try await database.collection(
      "notes", of: Note.self, options: CrashWorkload.shape)
    let found = Dictionary(uniqueKeysWithValues: try await notes.all().map { ($0.id, $0) })
    let allowed = trace.allowed(at: call, survival)
    guard trace.states[allowed].contains(found) else {
      let kind = trace.states.contains(found) ? "an older state" : "no state of the history"
      throw Violation(
        description: "\(kind): \(found.keys.sorted()), allowed \(allowed), walk \(isWalk)")
    }
    // What a kill leaves of the write under way looks like a version that was damaged.
    let report = notes.core.openReport
    guard survival == .kill || isWalk || !report.lostState else {
      throw Violation(description: "a false alarm: \(report)")
    }
    for shard in ["a", "b", "c"] {
      let indexed = try await notes.find().where("shard", isEqualTo: shard).execute()
      guard indexed.map(\.id) == found.values.filter({ $0.shard == shard }).map(\.id).sorted()
      else { throw Violation(description: "the index disagrees with the scan") }
    }
    let damaged = try await notes.core.check().damaged
    guard damaged.isEmpty else { throw Violation(description: "damaged: \(damaged)") }
    // It goes on as if nothing had been.
    let note = CrashWorkload.note(99, size: 50, serial: 1)
    try await notes.insert(note)
    try await database.close()
    let again = try open(disk)
    let reopened = try await again.collection("notes", of: Note.self)
    var expected = found
    expected[99] = note
    guard
      Dictionary(uniqueKeysWithValues: try await reopened.all().map { ($0.id, $0) }) == expected
    else { throw Violation(description: "the state after reopening is another one") }
    try await again.close()
  }

  private func open(_ disk: SimulatedDisk) throws -> NyaruDB {
    try NyaruDB(directory: disk.root, options: workload.options, bootID: disk.bootID)
  }
}
