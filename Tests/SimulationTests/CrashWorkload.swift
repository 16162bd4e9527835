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
  case reopen
  case addIndex
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
    let disk = SimulatedDisk()
    var trace = Trace()
    var database = try NyaruDB(directory: disk.root, options: options, bootID: disk.bootID)
    var notes = try await database.collection("notes", of: Note.self, options: Self.shape)
    for (serial, step) in steps.enumerated() {
      var state = trace.states[trace.states.count - 1]
      var isDurable = false
      switch step {
      case .insert(let id, let size):
        state[id] = Self.note(id, size: size, serial: serial)
        try await notes.insert(Self.note(id, size: size, serial: serial))
      case .update(let id, let size):
        state[id] = Self.note(id, size: size, serial: serial)
        try await notes.update(Self.note(id, size: size, serial: serial))
      case .delete(let id):
        state[id] = nil
        try await notes.delete(id: id)
      case .batch(let writes):
        for (id, size) in writes {
          state[id] = size == 0 ? nil : Self.note(id, size: size, serial: serial)
        }
        try await notes.writeBatch { batch in
          for (id, size) in writes {
            if size == 0 {
              batch.delete(id: id)
            } else {
              batch.upsert(Self.note(id, size: size, serial: serial))
            }
          }
        }
      case .sync:
        try await notes.sync()
        isDurable = true
      case .checkpoint:
        try await notes.core.checkpoint()
        isDurable = true
      case .compact: try await notes.compact()
      case .reopen:
        try await database.close()
        isDurable = true
        database = try NyaruDB(directory: disk.root, options: options, bootID: disk.bootID)
        notes = try await database.collection("notes", of: Note.self)
      case .addIndex:
        notes = try await database.collection(
          "notes", of: Note.self,
          options: CollectionOptions(partitionKey: "shard", indexedFields: ["text", "shard"]))
      }
      trace.note(state, isDurable: isDurable, callCount: disk.callCount)
    }
    trace.journal = disk.journal
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
