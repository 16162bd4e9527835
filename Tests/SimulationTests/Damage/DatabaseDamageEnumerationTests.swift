import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

/// Mutants of the files around the collections: manifests, `LOCK`, and what is known of peers.
@Suite struct DatabaseDamageEnumerationTests {
  private static let key = SecretKey([UInt8](repeating: 7, count: SecretKey.size).span)

  /// A closed database with two collections and one peer.
  private func database(key: SecretKey?) async throws -> (
    image: DiskImage, options: DatabaseOptions
  ) {
    let options = DatabaseOptions(encryptionKey: key)
    let disk = SimulatedDisk()
    let database = try NyaruDB(directory: disk.root, options: options, bootID: disk.bootID)
    for name in ["a", "b"] {
      let notes = try await database.collection(
        name, of: Note.self, options: CollectionOptions(indexedFields: ["shard"]))
      for id in 0..<3 { try await notes.insert(CrashWorkload.note(id, size: 20, serial: id)) }
    }
    let peers = SyncDirectory(database.directory.syncDirectory)
    try peers.save(PeerCheckpoint(peer: .none, address: "https://example.org/x"), number: 200)
    try await database.close()
    return (disk.image, options)
  }

  private func contents(_ database: NyaruDB, _ name: String) async throws -> [Note] {
    try await database.collection(name, of: Note.self).all()
  }

  /// Every flipped bit, every cut, and some bytes too many.
  private func mutants(of bytes: [UInt8]) -> [[UInt8]] {
    Mutation.flips(of: bytes) + Mutation.truncations(of: bytes)
      + [bytes + [0], bytes + bytes, [UInt8](repeating: 0, count: bytes.count)]
  }

  @Test(arguments: [nil, key])
  func `a damaged database manifest is an error that names it, and nothing is written`(
    key: SecretKey?
  ) async throws {
    let (image, options) = try await database(key: key)
    let whole = try #require(image.bytes("database"))
    for mutant in mutants(of: whole) {
      var damaged = image
      damaged.put(mutant, at: "database")
      let disk = SimulatedDisk(damaged)
      guard case .damaged(let path, _) = refusal(disk, options) else {
        Issue.record("a mutant of \(mutant.count) bytes is not refused as damaged")
        return
      }
      #expect(path.hasSuffix("database"))
      #expect(disk.counters.writes == 0)
    }
    var missing = image
    missing.remove("database")
    #expect(refusal(SimulatedDisk(missing), options) != nil)
  }

  /// Why the database does not open.
  private func refusal(_ disk: SimulatedDisk, _ options: DatabaseOptions) -> NyaruError? {
    do throws(NyaruError) {
      _ = try NyaruDB(directory: disk.root, options: options, bootID: disk.bootID)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [nil, key])
  func `a damaged collection manifest costs that collection, and is told`(
    key: SecretKey?
  ) async throws {
    let (image, options) = try await database(key: key)
    let whole = try NyaruDB(directory: SimulatedDisk(image).root, options: options, bootID: 1)
    let listing = try whole.directory.listCollections()
    let file = "collections/\(try #require(listing.first).fileName)/manifest"
    for (number, mutant) in mutants(of: try #require(image.bytes(file))).enumerated() {
      var damaged = image
      damaged.put(mutant, at: file)
      let database = try NyaruDB(
        directory: SimulatedDisk(damaged).root, options: options, bootID: 1)
      let entries = try database.directory.listCollections()
      #expect(entries.count == 2)
      guard case .failure(.damaged(let path, _)) = entries[1].manifest else {
        Issue.record("mutant \(number) is a manifest")
        return
      }
      #expect(path.hasSuffix(file))
      guard number % 100 == 0 else { continue }
      #expect(try await contents(database, "b").count == 3)
      await #expect(throws: NyaruError.self) { try await contents(database, "a") }
    }
  }

  @Test(arguments: [nil, key])
  func `the lock, damaged peers and half-written files do no harm`(key: SecretKey?) async throws {
    let (image, options) = try await database(key: key)
    let names = image.names("collections")
    for (number, mutant) in mutants(of: try #require(image.bytes("sync/peer.200"))).enumerated() {
      var damaged = image
      damaged.put(mutant, at: "sync/peer.200")
      damaged.put(Array(mutant.prefix(number % 40)), at: "LOCK")
      damaged.put(mutant, at: "database.new")
      damaged.put(mutant, at: "collections/\(names[0])/manifest.new")
      damaged.put(mutant, at: "collections/\(names[1])/checkpoint.99")
      let database = try NyaruDB(
        directory: SimulatedDisk(damaged).root, options: options, bootID: 1)
      #expect(!database.directory.isCopy)
      #expect(try SyncDirectory(database.directory.syncDirectory).peers().isEmpty)
      guard number % 20 == 0 else { continue }
      #expect(try await contents(database, "a").count == 3)
      #expect(try await contents(database, "b").count == 3)
      try await database.close()
    }
  }

  @Test func `a symbolic link is followed nowhere, and named`() async throws {
    let temporary = try TemporaryDirectory()
    let database = try NyaruDB(path: temporary.path("d"))
    let notes = try await database.collection("a", of: Note.self)
    try await notes.insert(CrashWorkload.note(1, size: 20, serial: 1))
    try await database.close()
    let files = try Links.files(below: temporary.path("d"))
    #expect(files.count >= 5)
    for file in files where !file.hasSuffix("/LOCK") {
      try Links.replace(file, in: temporary)
      do {
        let again = try NyaruDB(path: temporary.path("d"))
        let found = try await contents(again, "a")
        Issue.record("\(file) was followed: \(found.count)")
      } catch NyaruError.storageFailed(_, let path, _) {
        #expect(path == file)
      } catch NyaruError.damaged(let path, _) {
        #expect(path == file)
      }
      try Links.putBack(file, in: temporary)
      let whole = try NyaruDB(path: temporary.path("d"))
      #expect(try await contents(whole, "a").count == 1)
      try await whole.close()
    }
  }
}
