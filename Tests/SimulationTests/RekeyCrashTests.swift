import NyaruEngine
import TestSupport
import Testing

/// Ends the disk at every mutating call of a key change, in every way, and opens again.
@Suite struct RekeyCrashTests {
  private static let first = DatabaseCredential.key(key(1))
  private static let second = DatabaseCredential.key(key(2))
  private static let password = DatabaseCredential.password(
    "correct horse", .pbkdf2(rounds: 600_000))

  private static let changes: [(from: DatabaseCredential, to: DatabaseCredential, seeds: UInt64)] =
    [(first, second, 16), (first, password, 1), (password, first, 1)]

  private static func key(_ byte: UInt8) -> SecretKey {
    SecretKey([UInt8](repeating: byte, count: SecretKey.size).span)
  }

  /// The names that a key opens in a database on the disk, or `nil` if the key is refused.
  private func contents(_ image: DiskImage, _ credential: DatabaseCredential) throws -> [String]? {
    do throws(DatabaseDirectoryError) {
      let database = try DatabaseDirectory.open(
        SimulatedDisk(image).root, options: .init(credential: credential, createIfMissing: false))
      return try database.listCollections().compactMap { try? $0.manifest.get().name }
    } catch {
      guard case .key(_, let failure) = error else { throw error }
      switch failure {
      case .wrongKey, .wrongMethod: return nil
      default: throw error
      }
    }
  }

  @Test(arguments: changes.indices)
  func `after a crash at any call the old key opens the database, or the new one`(
    index: Int
  ) throws {
    let (old, new, seeds) = Self.changes[index]
    let disk = SimulatedDisk()
    let database = try DatabaseDirectory.open(disk.root, options: .init(credential: old))
    _ = try database.createCollection(
      CollectionManifest(
        name: "secret", idField: "id", format: .json, compression: .none, created: 1))
    let start = disk.callCount
    try database.changeCredential(to: new)
    #expect(disk.callCount > start + 3)

    var image = disk.start
    var opened = (old: 0, new: 0)
    for (call, event) in disk.journal.enumerated() {
      for survival in Survival.allCases where call >= start {
        for seed in 0..<seeds {
          var random = SeededGenerator(seed: seed * 1_000 + UInt64(call))
          let crashed = image.crashed(survival, during: event, &random)
          let underOld = try contents(crashed, old)
          let underNew = try contents(crashed, new)
          #expect(
            [underOld, underNew].compactMap { $0 } == [["secret"]],
            "call \(call), \(survival), seed \(seed)")
          if underOld == nil { opened.new += 1 } else { opened.old += 1 }
        }
      }
      image.apply(event)
    }
    #expect(opened.old > 0 && opened.new > 0)
    #expect(try contents(disk.image, old) == nil, "the change is durable when the call returns")
    #expect(try contents(disk.image, new) == ["secret"])
  }

  @Test func `a call that fails leaves a database that one of the keys opens`() throws {
    for call in 0..<8 {
      let disk = SimulatedDisk()
      let database = try DatabaseDirectory.open(disk.root, options: .init(credential: Self.first))
      let start = disk.callCount
      disk.setFault(DiskFault(after: call, code: 5, seed: UInt64(call)))
      do throws(DatabaseDirectoryError) {
        try database.changeCredential(to: Self.second)
      } catch {
        guard case .io = error else { throw error }
      }
      #expect(disk.callCount > start)
      database.close()
      let keys = try [Self.first, Self.second].filter { try contents(disk.image, $0) != nil }
      #expect(keys.count == 1, "call \(call)")
    }
  }

  @Test func `a key change leaves every record and name as it is`() async throws {
    let disk = SimulatedDisk()
    let key = Self.key(1)
    let database = try NyaruDB(
      directory: disk.root, options: DatabaseOptions(encryptionKey: key), bootID: 1)
    let documents = try await database.collection("c", of: [String: String].self)
    try await documents.insert(["id": "a", "text": "before"])
    try await database.sync()
    let files = disk.image.names("collections")
    try await database.changeKey(to: .password("correct horse"))
    try await documents.insert(["id": "b", "text": "after"])
    try await database.close()
    #expect(disk.image.names("collections") == files)

    var options = DatabaseOptions(createIfMissing: false)
    options.key = .password("correct horse")
    let again = try NyaruDB(directory: disk.root, options: options, bootID: 1)
    try await again.changeKey(to: .key(key))
    try await again.close()
    let last = try NyaruDB(
      directory: disk.root, options: DatabaseOptions(encryptionKey: key), bootID: 1)
    let texts = try await last.collection("c", of: [String: String].self).all().map { $0["text"] }
    #expect(texts == ["before", "after"])
    try await last.close()
  }

  @Test func `a database without a key gets none`() async throws {
    let disk = SimulatedDisk()
    let database = try NyaruDB(directory: disk.root, bootID: 1)
    let calls = disk.callCount
    await #expect {
      try await database.changeKey(to: .password("x"))
    } throws: { error in
      if case .wrongKey = error as? NyaruError { true } else { false }
    }
    #expect(disk.callCount == calls)
    try await database.close()
  }
}
