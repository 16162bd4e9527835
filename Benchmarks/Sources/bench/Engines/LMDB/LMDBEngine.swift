import Glibc

/// LMDB: a B+ tree in mapped memory, one transaction for each write.
final class LMDBEngine: Engine {
  private let environment: LMDBEnvironment
  private let folder: String

  init(folder: String, isDurable: Bool) throws {
    self.folder = folder
    _ = unsafe mkdir(folder, 0o700)
    environment = try LMDBEnvironment(folder: folder, isDurable: isDurable)
  }

  func insert(batch: [User]) throws {
    try environment.write { for user in batch { try $0.insert(user) } }
  }

  func insert(each users: [User]) throws {
    for user in users { try environment.write { try $0.insert(user) } }
  }

  func insert(each shares: [[User]]) throws {
    let environment = environment
    try Threads.run(shares) { users in
      for user in users { try environment.write { try $0.insert(user) } }
    }
  }

  func read(each ids: [String]) throws -> Int {
    var sum = 0
    for id in ids { try environment.read { sum += try $0.user(id)?.age ?? 0 } }
    return sum
  }

  func update(each users: [User]) throws {
    for user in users { try environment.write { try $0.update(user) } }
  }

  func delete(each ids: [String]) throws {
    for id in ids { try environment.write { try $0.delete(id) } }
  }

  func delete(batch ids: [String]) throws {
    try environment.write { for id in ids { try $0.delete(id) } }
  }

  func all() throws -> [User] {
    var users: [User] = []
    try environment.read { try $0.forEachUser { users.append($0) } }
    return users
  }

  func stream() throws -> Int {
    var sum = 0
    try environment.read { try $0.forEachUser { sum += $0.age } }
    return sum
  }

  func sync() throws { try environment.sync() }

  /// A compacted copy takes the place of the file; the environment must then be opened again.
  func compact() throws {
    let copy = folder + "/compacted"
    _ = unsafe mkdir(copy, 0o700)
    try environment.copy(to: copy)
    guard unsafe rename(copy + "/data.mdb", folder + "/data.mdb") == 0,
      unsafe rmdir(copy) == 0
    else {
      throw EngineError("the compacted copy could not take the place of the file")
    }
  }

  func close() { environment.close() }
}
