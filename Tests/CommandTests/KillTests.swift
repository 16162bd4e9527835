import Foundation
import Glibc
import NyaruEngine
import TestSupport
import Testing

/// `kill -9` loses nothing acknowledged.
///
/// A process carries out a script and says after each step that it is done; it is killed after a
/// random one of them, while it goes on. `NYARU_KILLS` is how often, `NYARU_SEED` where the seeds
/// begin; a failure prints the seed.
@Suite struct KillTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let killCount = Int(environment["NYARU_KILLS"] ?? "") ?? 200
  private static let firstSeed = UInt64(environment["NYARU_SEED"] ?? "") ?? 0
  private static let killsPerDatabase = 25

  static let databases = 0..<max(1, (killCount + killsPerDatabase - 1) / killsPerDatabase)

  private typealias State = [Int: KillScript.Note]

  @Test(arguments: databases)
  func `a killed process loses nothing that it has acknowledged`(number: Int) async throws {
    let workspace = try Workspace()
    var states: [State] = [[:]]
    for kill in 0..<min(Self.killsPerDatabase, Self.killCount) {
      let seed = Self.firstSeed + UInt64(number * Self.killsPerDatabase + kill)
      var random = SeededGenerator(seed: ~seed)
      let acknowledged = try killed(
        after: Int.random(in: 0...60, using: &random), seed: seed, in: workspace)
      // The step under way has taken effect, or not.
      states = states.flatMap { Self.states(after: acknowledged, seed: seed, from: $0) }
      // Every other time the next process has to recover.
      guard kill % 2 == 1 || kill == Self.killsPerDatabase - 1 else { continue }
      let found = try await examine(workspace.path + "/d")
      #expect(states.contains(found), "seed \(seed), \(acknowledged) steps: \(found.keys.sorted())")
      states = [found]
    }
  }

  /// Starts a writer, and kills it when it has acknowledged so many steps.
  ///
  /// - Returns: How many it had acknowledged when it ended.
  private func killed(after count: Int, seed: UInt64, in workspace: Workspace) throws -> Int {
    let output = workspace.path + "/acknowledged-\(seed)"
    let errors = workspace.path + "/errors"
    let pipe = try NamedPipe(output, forReading: true)
    let writer = try ChildProcess(
      path: URL(fileURLWithPath: Workspace.executable).deletingLastPathComponent().path
        + "/kill-writer",
      arguments: ["d", "\(seed)"], environment: [:], directory: workspace.path,
      input: "/dev/null", output: output, errors: errors)
    var acknowledged = 0
    while acknowledged < count, try pipe.readLine() != nil { acknowledged += 1 }
    writer.send(SIGKILL)
    while try pipe.readLine() != nil { acknowledged += 1 }
    let status = writer.wait()
    let complaint = try workspace.read("errors")
    #expect(status == -SIGKILL, "seed \(seed): \(complaint)")
    return acknowledged
  }

  private static func states(after count: Int, seed: UInt64, from state: State) -> [State] {
    var script = KillScript(seed: seed)
    var state = state
    for _ in 0..<count { state = KillScript.apply(script.next(), to: state) }
    return [state, KillScript.apply(script.next(), to: state)]
  }

  /// What is there; it must be sound.
  private func examine(_ path: String) async throws -> State {
    let database = try NyaruDB(path: path)
    let notes = try await database.collection(
      KillScript.collection, of: KillScript.Note.self,
      options: CollectionOptions(partitionKey: "shard", indexedFields: ["shard"]))
    let found = try await notes.all()
    for shard in ["s0", "s1", "s2"] {
      let indexed = try await notes.find().where("shard", isEqualTo: shard).execute()
      #expect(indexed == found.filter { $0.shard == shard })
    }
    #expect(try await notes.core.check().isSound)
    try await database.close()
    return Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0) })
  }
}
