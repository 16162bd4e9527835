import CLMDB

/// One open transaction; what comes out of it was copied.
@safe struct LMDBTransaction {
  private let handle: OpaquePointer
  private let environment: LMDBEnvironment

  init(_ handle: OpaquePointer, _ environment: LMDBEnvironment) {
    unsafe self.handle = handle
    self.environment = environment
  }

  /// The user with the id, or nothing.
  func user(_ id: String) throws -> User? {
    var found: User?
    try unsafe Self.withValue(of: UserKeys.document(id)) { key in
      var key = unsafe key
      var value = unsafe MDB_val()
      let status = unsafe mdb_get(handle, environment.users, &key, &value)
      if status == MDB_NOTFOUND { return }
      try LMDBEnvironment.check("mdb_get", status)
      found = try unsafe Self.user(value)
    }
    return found
  }

  func insert(_ user: User) throws {
    let keys = UserKeys(user)
    try put(environment.users, keys.document, try Payload.encode(user), MDB_NOOVERWRITE)
    try put(environment.cities, keys.city, [], 0)
    try put(environment.ages, keys.age, [], 0)
  }

  func update(_ user: User) throws {
    guard let old = try self.user(user.id) else { throw EngineError("no user \(user.id)") }
    let keys = UserKeys(user)
    try removeIndexKeys(UserKeys(old))
    try put(environment.users, keys.document, try Payload.encode(user), 0)
    try put(environment.cities, keys.city, [], 0)
    try put(environment.ages, keys.age, [], 0)
  }

  func delete(_ id: String) throws {
    guard let old = try user(id) else { return }
    let keys = UserKeys(old)
    try removeIndexKeys(keys)
    try remove(environment.users, keys.document)
  }

  /// Calls the body for every user, in the order of ids.
  func forEachUser(_ body: (User) -> Void) throws {
    var cursor: OpaquePointer?
    try LMDBEnvironment.check(
      "mdb_cursor_open", unsafe mdb_cursor_open(handle, environment.users, &cursor))
    let opened = unsafe cursor
    defer { unsafe mdb_cursor_close(opened) }
    var key = unsafe MDB_val()
    var value = unsafe MDB_val()
    while unsafe mdb_cursor_get(opened, &key, &value, MDB_NEXT) == MDB_SUCCESS {
      body(try unsafe Self.user(value))
    }
  }

  private func removeIndexKeys(_ keys: UserKeys) throws {
    try remove(environment.cities, keys.city)
    try remove(environment.ages, keys.age)
  }

  private func put(_ database: MDB_dbi, _ key: [UInt8], _ value: [UInt8], _ flags: Int32) throws {
    try unsafe Self.withValue(of: key) { key in
      try unsafe Self.withValue(of: value) { value in
        var key = unsafe key
        var value = unsafe value
        try LMDBEnvironment.check(
          "mdb_put", unsafe mdb_put(handle, database, &key, &value, UInt32(flags)))
      }
    }
  }

  private func remove(_ database: MDB_dbi, _ key: [UInt8]) throws {
    try unsafe Self.withValue(of: key) { key in
      var key = unsafe key
      try LMDBEnvironment.check("mdb_del", unsafe mdb_del(handle, database, &key, nil))
    }
  }

  private static func user(_ value: MDB_val) throws -> User {
    try unsafe Payload.decode(
      UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
  }

  /// The bytes as LMDB takes them; it only reads through the pointer.
  private static func withValue(of bytes: [UInt8], _ body: (MDB_val) throws -> Void) throws {
    try unsafe bytes.withUnsafeBytes { bytes in
      try unsafe body(
        MDB_val(
          mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress)))
    }
  }
}
