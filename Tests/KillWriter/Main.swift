import Glibc
import NyaruEngine
import TestSupport

/// Carries out a script in a database until it is killed, and writes a line after each step.
@main struct Main {
  private static let shape = CollectionOptions(partitionKey: "shard", indexedFields: ["shard"])

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let seed = UInt64(arguments[2]) else { exit(2) }
    var script = KillScript(seed: seed)
    var database = try NyaruDB(path: arguments[1])
    var notes = try await open(database)
    for serial in 1... {
      switch script.next() {
      case .write(let writes): try await write(writes, to: notes)
      case .sync: try await notes.sync()
      case .checkpoint: try await notes.core.checkpoint()
      case .compact: try await notes.compact()
      case .reopen:
        try await database.close()
        database = try NyaruDB(path: arguments[1])
        notes = try await open(database)
      case .index(let fields):
        notes = try await database.collection(
          KillScript.collection, of: KillScript.Note.self,
          options: CollectionOptions(partitionKey: "shard", indexedFields: fields))
      case .recreate:
        try await database.drop(KillScript.collection)
        notes = try await open(database)
      }
      acknowledge(serial)
    }
  }

  private static func open(
    _ database: NyaruDB
  ) async throws -> NyaruCollection<KillScript.Note> {
    try await database.collection(
      KillScript.collection, of: KillScript.Note.self, options: shape)
  }

  private static func write(
    _ writes: [Int: KillScript.Note?], to notes: NyaruCollection<KillScript.Note>
  ) async throws {
    try await notes.writeBatch { batch in
      for (id, note) in writes {
        if let note { batch.upsert(note) } else { batch.delete(id: id) }
      }
    }
  }

  /// One call for one line: what the pipe has was acknowledged.
  private static func acknowledge(_ serial: Int) {
    let line = Array("\(serial)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(1, $0.baseAddress, $0.count) }
  }
}
