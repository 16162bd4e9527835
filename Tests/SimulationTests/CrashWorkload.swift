import NyaruEngine
import TestSupport
import Testing

/// A document of the crash workloads: its shard and its size change from version to version.
struct Note: Codable, Sendable, Equatable {
  var id: Int
  var shard: String
  var text: String
}

/// One step of a scripted history.
enum CrashStep: Sendable {
  case insert(Int, size: Int)
  case update(Int, size: Int)
  case delete(Int)

  /// Writes that take effect together, over all shards: upserts, and deletions where the size is 0.
  case batch([(id: Int, size: Int)])
  case sync
  case checkpoint
  case compact
  case beginCompaction
  case stepCompaction

  /// Keeps what is there in sight, for later.
  case holdSnapshot
  case readSnapshots
  case reopen
  case addIndex

  /// Drops the collection, and makes another one of its name.
  case recreate
}

/// A scripted history, and what it wrote down while it ran.
struct CrashWorkload: Sendable, CustomTestStringConvertible {
  var name: String
  var steps: [CrashStep]
  var options = DatabaseOptions()

  var testDescription: String { name }

  /// How far the history was when the disk had seen so many calls.
  struct Mark: Sendable {
    var callCount: Int

    /// The state, by its place in the history.
    var state: Int

    /// The last state that had been made durable.
    var synced: Int
  }

  /// The states that the history went through, and when.
  struct Trace: Sendable {
    var journal: [DiskEvent] = []
    var states: [[Int: Note]] = [[:]]
    var marks = [Mark(callCount: 0, state: 0, synced: 0)]
  }

  static let shape = CollectionOptions(partitionKey: "shard", indexedFields: ["shard"])

  /// Runs the history on an empty disk.
  func run() async throws -> Trace {
    var run = WorkloadRun(SimulatedDisk(), options: options)
    var trace = Trace()
    try await run.open()
    for step in steps {
      try await run.perform(step)
      trace.note(run.state, isDurable: run.isDurable, callCount: run.disk.callCount)
    }
    trace.journal = run.disk.journal
    return trace
  }

  static func note(_ id: Int, size: Int, serial: Int) -> Note {
    Note(
      id: id, shard: ["a", "b", "c"][(id + serial) % 3],
      text: String(repeating: Character(UnicodeScalar(UInt8(97 + serial % 26))), count: size))
  }
}

extension CrashWorkload.Trace {
  mutating func note(_ state: [Int: Note], isDurable: Bool, callCount: Int) {
    if state != states[states.count - 1] { states.append(state) }
    let last = marks[marks.count - 1]
    marks.append(
      CrashWorkload.Mark(
        callCount: callCount, state: states.count - 1,
        synced: isDurable ? states.count - 1 : last.synced))
  }

  /// The states that a crash during the call may leave.
  ///
  /// A kill keeps everything acknowledged; a power cut everything that was synced. What was under
  /// way may have taken effect.
  func allowed(at call: Int, _ survival: Survival) -> ClosedRange<Int> {
    let past = marks.last { $0.callCount <= call } ?? marks[0]
    let next = marks.first { $0.callCount > call } ?? past
    return (survival == .kill ? past.state : past.synced)...max(past.state, next.state)
  }
}
