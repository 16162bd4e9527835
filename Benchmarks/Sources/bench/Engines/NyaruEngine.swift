import Nyaru

/// Our own engine, through the API that applications use.
class NyaruEngine: Engine {
  private let database: NyaruDB
  let users: NyaruCollection<User>

  class var options: DatabaseOptions { DatabaseOptions() }

  required init(folder: String, isDurable: Bool) async throws {
    var options = Self.options
    options.autoSync = isDurable ? .everyWrite : .off
    database = try NyaruDB(path: folder, options: options)
    users = try await database.collection(
      "users", of: User.self, options: CollectionOptions(indexedFields: ["city", "age"]))
  }

  func insert(batch: [User]) async throws { try await users.insert(contentsOf: batch) }

  func insert(each users: [User]) async throws {
    for user in users { try await self.users.insert(user) }
  }

  func insert(each shares: [[User]]) async throws {
    let users = users
    try await withThrowingTaskGroup { group in
      for share in shares {
        group.addTask { for user in share { try await users.insert(user) } }
      }
      try await group.waitForAll()
    }
  }

  func read(each ids: [String]) async throws -> Int {
    var sum = 0
    for id in ids { sum += try await users.get(id: id)?.age ?? 0 }
    return sum
  }

  /// The same through plain calls.
  func readSynchronously(each ids: [String]) throws -> Int {
    var sum = 0
    for id in ids { sum += try users.document(id: id)?.age ?? 0 }
    return sum
  }

  func update(each users: [User]) async throws {
    for user in users { try await self.users.update(user) }
  }

  func delete(each ids: [String]) async throws {
    for id in ids { try await users.delete(id: id) }
  }

  func delete(batch ids: [String]) async throws { try await users.delete(ids: ids) }

  func all() async throws -> [User] { try await users.all() }

  func stream() async throws -> Int {
    var sum = 0
    for try await user in users.stream(batchSize: 1024) { sum += user.age }
    return sum
  }

  func sync() async throws { try await users.sync() }

  func compact() async throws { try await users.compact() }

  func close() async throws { try await database.close() }
}

/// Our own engine with compressed bodies.
final class NyaruGzipEngine: NyaruEngine {
  override class var options: DatabaseOptions { DatabaseOptions(compression: .gzip) }
}

/// Our own engine with everything sealed under a key.
final class NyaruKeyEngine: NyaruEngine {
  override class var options: DatabaseOptions {
    DatabaseOptions(encryptionKey: SecretKey(bytes: [UInt8](repeating: 7, count: 32)))
  }
}
