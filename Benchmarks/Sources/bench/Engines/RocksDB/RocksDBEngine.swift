/// RocksDB: a log-structured merge tree, one batch for each write.
final class RocksDBEngine: Engine {
  private let store: RocksDBStore

  init(folder: String, isDurable: Bool) throws {
    store = try RocksDBStore(folder: folder, isDurable: isDurable)
  }

  func insert(batch: [User]) throws {
    try store.write { for user in batch { try $0.insert(user) } }
  }

  func insert(each users: [User]) throws {
    for user in users { try store.write { try $0.insert(user) } }
  }

  func insert(each shares: [[User]]) throws {
    let store = store
    try Threads.run(shares) { users in
      for user in users { try store.write { try $0.insert(user) } }
    }
  }

  func read(each ids: [String]) throws -> Int {
    var sum = 0
    for id in ids { sum += try store.user(id)?.age ?? 0 }
    return sum
  }

  func update(each users: [User]) throws {
    for user in users { try store.write { try $0.update(user) } }
  }

  func delete(each ids: [String]) throws {
    for id in ids { try store.write { try $0.delete(id) } }
  }

  func delete(batch ids: [String]) throws {
    try store.write { for id in ids { try $0.delete(id) } }
  }

  func all() throws -> [User] {
    var users: [User] = []
    try store.forEachUser { users.append($0) }
    return users
  }

  func stream() throws -> Int {
    var sum = 0
    try store.forEachUser { sum += $0.age }
    return sum
  }

  func sync() throws { try store.sync() }

  func compact() throws { try store.compact() }

  func close() { store.close() }
}
