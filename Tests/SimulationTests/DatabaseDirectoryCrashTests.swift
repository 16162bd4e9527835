import NyaruEngine
import TestSupport
import Testing

/// Ends the disk at every mutating call of a database's life, in every way, and opens again.
@Suite struct DatabaseDirectoryCrashTests {
  /// What a database directory promises to remember.
  private struct Remembered: Equatable, Sendable {
    var databaseID: [UInt8] = []
    var replicaIDs: [ReplicaID] = []
    var needsReidentification = false
    var vaultID: [UInt8]?
    var collections: [String: [[UInt8]]] = [:]
    var floors: [String: UInt64] = [:]

    init(_ database: DatabaseDirectory) throws {
      databaseID = database.databaseID
      replicaIDs = database.replicaIDs
      needsReidentification = database.needsReidentification
      vaultID = try database.vault()?.id
      for entry in try database.listCollections() {
        let manifest = try entry.manifest.get()
        let found = try #require(try database.openCollection(manifest.name))
        collections[manifest.name] =
          [manifest.collectionID] + manifest.indexedFields.map { Array($0.utf8) }
        floors[manifest.name] = found.sequenceFloor
      }
    }
  }

  private static let credentials: [DatabaseCredential?] = [
    nil, .key(SecretKey([UInt8](repeating: 7, count: 32).span)),
  ]

  private func open(
    _ disk: SimulatedDisk, _ credential: DatabaseCredential?
  ) throws -> DatabaseDirectory {
    try DatabaseDirectory.open(disk.root, options: .init(credential: credential))
  }

  private func manifest(_ name: String) -> CollectionManifest {
    CollectionManifest(
      name: name, idField: "id", format: .json, compression: .none, created: 1)
  }

  /// The steps of a life, each of which is durable, and all or nothing.
  private var steps: [(DatabaseDirectory) throws -> Void] {
    [
      { _ = try $0.createCollection(manifest("a")) },
      { _ = try $0.addReplicaID() },
      { database in
        let collection = try database.createCollection(manifest("b"))
        _ = try collection.directory.createDirectory("shards").createFile("default.1")
        _ = try collection.directory.createFile("head")
      },
      { try $0.setVault(VaultMembership(id: RandomBytes.next(16), key: .random())) },
      { database in
        let collection = try #require(try database.openCollection("a"))
        var changed = collection.manifest
        changed.indexedFields = ["x"]
        _ = try database.replaceManifest(of: collection, with: changed)
      },
      { try $0.dropCollection("b", sequenceFloor: 100) },
      { _ = try $0.createCollection(manifest("b")) },
      { _ = try $0.addReplicaID(reidentifying: true) },
      { try $0.dropCollection("b", sequenceFloor: 50) },
      { try $0.finishReidentification() },
      { _ = try $0.createCollection(manifest("b")) },
    ]
  }

  /// Whether the state is one that a crash may leave between the two.
  private func isBetween(_ state: Remembered, _ before: Remembered, _ after: Remembered) -> Bool {
    if state == before || state == after { return true }
    // A drop raises the floor first, and a collection that is still there is above it.
    guard after.collections.count < before.collections.count else { return false }
    var raised = state
    raised.floors = before.floors
    return raised == before
      && state.floors.allSatisfy { $0.value >= before.floors[$0.key] ?? 0 }
  }

  @Test(arguments: credentials.indices)
  func `a crash at any call leaves the state before the step or after it`(index: Int) throws {
    let credential = Self.credentials[index]
    let disk = SimulatedDisk()
    let database = try open(disk, credential)
    var states = [try Remembered(database)]
    var ends = [disk.callCount]
    for step in steps {
      try step(database)
      states.append(try Remembered(database))
      ends.append(disk.callCount)
    }

    var image = disk.start
    var count = 0
    for (call, event) in disk.journal.enumerated() {
      let step = ends.firstIndex { call < $0 } ?? 0
      for survival in Survival.allCases {
        for seed in 0..<8 as Range<UInt64> {
          var random = SeededGenerator(seed: seed * 1_000 + UInt64(call))
          let crashed = image.crashed(survival, during: event, &random)
          let found = try recover(crashed, credential, seed: seed)
          if step > 0 {
            #expect(
              isBetween(found, states[step - 1], states[step]),
              "call \(call), \(survival), seed \(seed)")
          }
          count += 1
        }
      }
      image.apply(event)
    }
    #expect(count > 2_000)
  }

  /// Opens the database, ends that at a call, too, and opens it again; never as a copy.
  private func recover(
    _ image: DiskImage, _ credential: DatabaseCredential?, seed: UInt64
  ) throws -> Remembered {
    var random = SeededGenerator(seed: seed)
    let interrupted = SimulatedDisk(image)
    interrupted.setCrash(after: Int(seed))
    let first = try? open(interrupted, credential)
    #expect(first?.isCopy != true)
    let second = SimulatedDisk(
      interrupted.hasCrashed
        ? interrupted.crashed(Survival.allCases[Int(seed % 3)], &random) : interrupted.image)
    let database = try open(second, credential)
    #expect(!database.isCopy)
    let state = try Remembered(database)
    #expect(second.image.names("collections").allSatisfy { !$0.contains(".") })
    return state
  }

  @Test func `a failed call ends the writing, and reopening finds one state or the other`() throws {
    let calls = SimulatedDisk()
    let whole = try open(calls, nil)
    for step in steps { try step(whole) }

    for call in 0..<calls.callCount {
      let disk = SimulatedDisk()
      disk.setFault(DiskFault(after: call, code: 5, seed: UInt64(call)))
      guard let database = try? open(disk, nil) else {
        _ = try open(disk, nil)
        continue
      }
      var before = try Remembered(database)
      var failure: DatabaseDirectoryError?
      for step in steps {
        do {
          try step(database)
          before = try Remembered(database)
        } catch let error as DatabaseDirectoryError {
          failure = error
          break
        } catch is IOError {
          break  // The step's own files.
        }
      }
      if case .io(let error) = failure {
        #expect(throws: DatabaseDirectoryError.poisoned(error)) { try database.addReplicaID() }
        #expect(try database.openCollection("nobody") == nil)
      }
      database.close()
      let again = try Remembered(try open(disk, nil))
      #expect(again.databaseID == before.databaseID)
      #expect(again.replicaIDs.starts(with: before.replicaIDs))
      for (name, floor) in before.floors { #expect(again.floors[name] ?? floor >= floor) }
    }
  }
}
