import NyaruEngine
import TestSupport

/// A scripted history on its way: the disk, the database on it, and what is promised so far.
struct WorkloadRun {
  /// What a reader sees that it should not.
  struct Surprise: Error, CustomStringConvertible {
    var description: String
  }

  static let name = "notes"

  let disk: SimulatedDisk
  let options: DatabaseOptions
  private(set) var database: NyaruDB?
  private(set) var notes: NyaruCollection<Note>?

  /// What was acknowledged, and what the step under way makes of it.
  private(set) var state: [Int: Note] = [:]
  private(set) var attempt: [Int: Note]?

  /// Whether the last step has made everything durable.
  private(set) var isDurable = false
  private var serial = 0
  private var snapshots: [(CollectionSnapshot<Note>, [Int: Note])] = []

  init(_ disk: SimulatedDisk, options: DatabaseOptions) {
    self.disk = disk
    self.options = options
  }

  /// Opens the database, and the collection if there is one or it has the shape.
  mutating func open(_ shape: CollectionOptions? = CrashWorkload.shape) async throws {
    let database = try NyaruDB(directory: disk.root, options: options, bootID: disk.bootID)
    self.database = database
    notes = try await database.collection(Self.name, of: Note.self, options: shape)
  }

  /// Lets go of everything, as after a failure; the first error is thrown when all is closed.
  mutating func close() async throws {
    let database = database
    (self.database, notes, snapshots) = (nil, nil, [])
    try await database?.close()
  }

  mutating func perform(_ step: CrashStep) async throws {
    attempt = state
    isDurable = false
    guard let notes, let database else { throw NyaruError.closed }
    switch step {
    case .insert, .update, .delete, .batch: try await write(step, to: notes)
    case .sync:
      try await notes.sync()
      isDurable = true
    case .checkpoint:
      try await notes.core.checkpoint()
      isDurable = true
    case .compact: try await notes.compact()
    case .beginCompaction: _ = try await notes.core.beginCompaction()
    case .stepCompaction: _ = try await notes.core.stepCompaction()
    case .holdSnapshot: snapshots.append((notes.snapshot(), state))
    case .readSnapshots: try readSnapshots()
    case .reopen:
      try await close()
      isDurable = true
      try await open(nil)
    case .addIndex:
      self.notes = try await database.collection(
        Self.name, of: Note.self,
        options: CollectionOptions(partitionKey: "shard", indexedFields: ["text", "shard"]))
    case .recreate:
      attempt = [:]
      // Nobody may use the collection from here on.
      (self.notes, snapshots) = (nil, [])
      try await database.drop(Self.name)
      isDurable = true
      state = [:]
      self.notes = try await database.collection(
        Self.name, of: Note.self, options: CrashWorkload.shape)
    }
    state = attempt ?? state
    attempt = nil
    serial += 1
  }

  private mutating func write(_ step: CrashStep, to notes: NyaruCollection<Note>) async throws {
    let serial = serial
    switch step {
    case .insert(let id, let size):
      attempt?[id] = CrashWorkload.note(id, size: size, serial: serial)
      try await notes.insert(CrashWorkload.note(id, size: size, serial: serial))
    case .update(let id, let size):
      attempt?[id] = CrashWorkload.note(id, size: size, serial: serial)
      try await notes.update(CrashWorkload.note(id, size: size, serial: serial))
    case .delete(let id):
      attempt?[id] = nil
      try await notes.delete(id: id)
    case .batch(let writes):
      for (id, size) in writes {
        attempt?[id] = size == 0 ? nil : CrashWorkload.note(id, size: size, serial: serial)
      }
      try await notes.writeBatch { batch in
        for (id, size) in writes {
          if size == 0 {
            batch.delete(id: id)
          } else {
            batch.upsert(CrashWorkload.note(id, size: size, serial: serial))
          }
        }
      }
    default: break
    }
  }

  private func readSnapshots() throws {
    for (snapshot, state) in snapshots {
      let found = Dictionary(uniqueKeysWithValues: try snapshot.all().map { ($0.id, $0) })
      guard found == state else { throw Surprise(description: "a snapshot has changed") }
    }
  }

  /// All documents, as a reader sees them.
  func contents() async throws -> [Int: Note] {
    guard let notes else { throw NyaruError.closed }
    return Dictionary(uniqueKeysWithValues: try await notes.all().map { ($0.id, $0) })
  }

  /// Takes what a reader found for the state, after a failure that may have left either.
  mutating func settle(_ state: [Int: Note]) {
    self.state = state
    attempt = nil
  }
}
