import NyaruEngine
import NyaruSyncLog
import TestSupport

/// Three databases of the engine and one endpoint, on a network that loses, repeats and cuts.
///
/// One seed decides what is written where and what goes wrong. Each database also writes groups of
/// documents that only it changes, always all with one number: who sees a group sees one number.
final class ConvergenceWorld {
  private static let documentCount = 12
  private static let groupSize = 5

  let seed: UInt64
  private let key = SecretKey([UInt8](repeating: 3, count: 32).span)
  private let network: SimulatedNetwork
  private var random: SeededGenerator
  private var databases: [NyaruDB] = []
  private var nextNumber: Int64 = 1
  private var written: Set<Int64> = []
  private var removed: Set<Int64> = []

  /// What went wrong, in words.
  private(set) var problems: [String] = []

  init(seed: UInt64, endpoint: any EndpointStore, faults: SimulatedNetwork.Faults) async throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    network = SimulatedNetwork(endpoint, faults: faults, seed: seed)
    for _ in 0..<3 {
      let database = try NyaruDB(directory: SimulatedDisk().root)
      try await Replica(database).join(key)
      _ = try await things(database)
      databases.append(database)
    }
  }

  func run(steps: Int) async throws {
    for _ in 0..<steps {
      let index = Int.random(in: databases.indices, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5: try await write(databases[index])
      case 5: try await writeGroup(index)
      case 6: try await resolve(databases[index])
      default: _ = try? await sync(databases[index])
      }
      try await checkGroups()
    }
    try await settle()
  }

  private func things(_ database: NyaruDB) async throws -> NyaruCollection<Document> {
    try await database.collection("things", of: Document.self)
  }

  private func document(_ id: String) throws -> Document {
    defer { nextNumber += 1 }
    return try Document(json: "{\"id\":\"\(id)\",\"number\":\(nextNumber)}")
  }

  private static func number(_ document: Document) -> Int64? {
    if case .integer(let number)? = document["number"] { number } else { nil }
  }

  private func write(_ database: NyaruDB) async throws {
    let things = try await things(database)
    let id = "d\(Int.random(in: 0..<Self.documentCount, using: &random))"
    if let seen = try await things.get(id: id), let number = Self.number(seen) {
      removed.insert(number)
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      _ = try await things.delete(id: id)
    } else {
      written.insert(nextNumber)
      try await things.upsert(try document(id))
    }
  }

  private func writeGroup(_ index: Int) async throws {
    let things = try await things(databases[index])
    let number = nextNumber
    nextNumber += 1
    try await things.writeBatch { batch in
      for member in 0..<Self.groupSize {
        batch.upsert(
          try Document(json: "{\"id\":\"g\(index).\(member)\",\"number\":\(number)}"))
      }
    }
  }

  private func resolve(_ database: NyaruDB) async throws {
    let replica = Replica(database)
    guard let conflict = try await replica.conflicts().first else { return }
    let versions = [conflict.seen] + conflict.others
    removed.formUnion(versions.compactMap { Self.number($0.document) })
    guard case .string(let id) = conflict.id else { return }
    written.insert(nextNumber)
    try await replica.resolve("things", id: id, with: try document(id))
  }

  private func sync(_ database: NyaruDB) async throws -> SyncReport {
    let vault = VaultKeys.vault(of: key)
    return try await Replica(database)
      .sync(with: .endpoint(network, address: "simulated", vault: vault))
  }

  private func checkGroups() async throws {
    for (place, database) in databases.enumerated() {
      let things = try await things(database)
      for index in databases.indices {
        var numbers: Set<Int64?> = []
        for member in 0..<Self.groupSize {
          numbers.insert(try await things.get(id: "g\(index).\(member)").flatMap(Self.number))
        }
        if numbers.count > 1 { problems.append("half a group of \(index) at \(place)") }
      }
    }
  }

  private func settle() async throws {
    network.faults = .none
    for _ in 0..<3 {
      for database in databases { _ = try await sync(database) }
    }
    var kept: Set<Int64> = []
    var contents: [[String]] = []
    for (index, database) in databases.enumerated() {
      let report = try await sync(database)
      if !report.verified || report.sent + report.applied > 0 {
        problems.append("no rest at \(index): \(report)")
      }
      let documents = try await things(database).all()
      let conflicts = try await Replica(database).conflicts()
      let others = conflicts.flatMap { $0.others.map(\.document) }
      kept.formUnion((documents + others).compactMap(Self.number))
      contents.append((documents + others).map { $0.json() }.sorted())
    }
    if contents.contains(where: { $0 != contents[0] }) { problems.append("not equal: \(contents)") }
    let lost = written.subtracting(kept).subtracting(removed)
    if !lost.isEmpty { problems.append("lost: \(lost.sorted())") }
    let returned = kept.intersection(removed)
    if !returned.isEmpty { problems.append("came back: \(returned.sorted())") }
  }
}
