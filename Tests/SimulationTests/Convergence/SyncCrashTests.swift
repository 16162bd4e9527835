import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

/// Syncs that end at any call to the disk, with a database of the engine.
@Suite struct SyncCrashTests {
  private static let key = SecretKey([UInt8](repeating: 5, count: 32).span)

  /// One database on a simulated disk, and what another one pushed before.
  private struct Scene {
    let endpoint = MemoryEndpoint()
    let other: NyaruDB
    let image: DiskImage

    var peer: Peer {
      .endpoint(
        SimulatedNetwork(endpoint), address: "memory:", vault: VaultKeys.vault(of: key))
    }

    init() async throws {
      other = try NyaruDB(directory: SimulatedDisk().root)
      let disk = SimulatedDisk()
      let database = try NyaruDB(directory: disk.root)
      for database in [other, database] { try await Replica(database).join(key) }
      let here = try await database.collection("things", of: Document.self)
      let there = try await other.collection("things", of: Document.self)
      for number in 0..<20 { try await here.insert(try Self.document(number, "base")) }
      let replica = Replica(database)
      let network = SimulatedNetwork(endpoint)
      let peer = Peer.endpoint(network, address: "memory:", vault: VaultKeys.vault(of: key))
      _ = try await replica.sync(with: peer)
      _ = try await Replica(other).sync(with: peer)
      for number in 10..<25 { try await there.upsert(try Self.document(number, "there")) }
      for number in 5..<15 { try await here.update(try Self.document(number, "here")) }
      try await here.writeBatch { batch in
        for number in 100..<105 { batch.insert(try Self.document(number, "group")) }
      }
      _ = try await Replica(other).sync(with: peer)
      try await database.sync()
      image = disk.image
    }

    static func document(_ number: Int, _ text: String) throws -> Document {
      try Document(json: "{\"id\":\(number),\"text\":\"\(text)\"}")
    }
  }

  /// What a database shows, with its conflicts.
  private func contents(_ database: NyaruDB) async throws -> [String] {
    let documents = try await database.collection("things", of: Document.self).all()
    let others = try await Replica(database).conflicts().flatMap { $0.others.map(\.document) }
    return (documents + others).map { $0.json() }.sorted()
  }

  @Test(arguments: Survival.allCases)
  func `a sync that ends at any call goes on after the crash`(survival: Survival) async throws {
    var random = SeededGenerator(seed: 11)
    var calls = 0
    var hasEnded = false
    while !hasEnded {
      let scene = try await Scene()
      let disk = SimulatedDisk(scene.image)
      disk.setCrash(after: calls)
      if let database = try? NyaruDB(directory: disk.root) {
        _ = try? await Replica(database).sync(with: scene.peer)
      }
      hasEnded = !disk.hasCrashed
      let image = hasEnded ? disk.image : disk.crashed(survival, &random)
      let database = try NyaruDB(directory: SimulatedDisk(image).root)
      let report = try await Replica(database).sync(with: scene.peer)
      #expect(report.verified, "\(calls) calls: \(report)")
      _ = try await Replica(scene.other).sync(with: scene.peer)
      let here = try await contents(database)
      #expect(here == (try await contents(scene.other)), "\(calls) calls")
      #expect(here.count == 35, "\(calls) calls: \(here)")
      calls += 1 + calls / 12
    }
    #expect(calls > 30)
  }
}
