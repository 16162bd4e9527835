import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

/// Which databases may sync with each other.
@Suite struct VaultTests {
  private func database(_ path: String, key: SecretKey?, holdsData: Bool) -> MemoryDatabase {
    let database = MemoryDatabase(path, key: key)
    if holdsData { database.store("things").write(id(holdsData ? path.utf8.count : 0), [1]) }
    return database
  }

  private func vault(_ database: MemoryDatabase) async -> VaultID? {
    await database.vaultKey().map(VaultKeys.vault)
  }

  @Test(arguments: [(false, false), (false, true), (true, false)])
  func `fresh databases share a vault if one of them is empty`(
    firstHolds: Bool, secondHolds: Bool
  ) async throws {
    for (firstKey, secondKey) in [(nil, nil), (SecretKey.random(), SecretKey.random())] {
      let a = database("A", key: firstKey, holdsData: firstHolds)
      let b = database("BB", key: secondKey, holdsData: secondHolds)
      await a.markVaultNew()
      await b.markVaultNew()
      _ = try await Replica(database: a).sync(with: .directory(b))
      let (first, second) = (await vault(a), await vault(b))
      #expect(first != nil && first == second)
      #expect(a.store("things").states == b.store("things").states)
    }
  }

  @Test func `two that hold data share one only if they are told to`() async throws {
    let a = database("A", key: nil, holdsData: true)
    let b = database("BB", key: nil, holdsData: true)
    let replica = Replica(database: a)
    await #expect(throws: SyncError.joinNeeded(local: "A", remote: "BB")) {
      try await replica.sync(with: .directory(b))
    }
    #expect(await vault(a) == nil)
    _ = try await replica.sync(with: .directory(b), options: SyncOptions(joins: true))
    let (first, second) = (await vault(a), await vault(b))
    #expect(first == second && a.store("things").documents.count == 2)
    #expect(a.store("things").states == b.store("things").states)
  }

  @Test func `a vault that others share is left only on request`() async throws {
    let (first, second) = (SecretKey.random(), SecretKey.random())
    let a = database("A", key: first, holdsData: true)
    let b = database("BB", key: second, holdsData: false)
    let replica = Replica(database: a)
    await #expect(
      throws: SyncError.vaultMismatch(
        local: "\(VaultKeys.vault(of: first))", remote: "\(VaultKeys.vault(of: second))")
    ) {
      try await replica.sync(with: .directory(b))
    }
    #expect(b.store("things").documents.isEmpty)
    _ = try await replica.sync(with: .directory(b), options: SyncOptions(joins: true))
    #expect(await vault(b) == VaultKeys.vault(of: first))
  }

  @Test func `joining by key keeps a shared vault from being replaced`() async throws {
    let key = SecretKey.random()
    let a = database("A", key: nil, holdsData: true)
    try await Replica(database: a).join(key)
    #expect(try await Replica(database: a).vault() == "\(VaultKeys.vault(of: key))")
    try await Replica(database: a).join(key)
    await #expect(throws: SyncError.self) { try await Replica(database: a).join(.random()) }
  }
}
