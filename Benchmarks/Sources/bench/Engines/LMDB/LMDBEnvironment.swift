import CLMDB

/// An LMDB environment with three databases: users by id, and the keys of both indexes.
///
/// It is an address of C, which may be used by several threads at once.
struct LMDBEnvironment: Sendable {
  private let address: UInt
  let users: MDB_dbi
  let cities: MDB_dbi
  let ages: MDB_dbi

  private static let mapSize = 16 << 30

  init(folder: String, isDurable: Bool) throws {
    var handle: OpaquePointer?
    try Self.check("mdb_env_create", unsafe mdb_env_create(&handle))
    guard let opened = unsafe handle else { throw EngineError("mdb_env_create") }
    try Self.check("mdb_env_set_mapsize", unsafe mdb_env_set_mapsize(opened, Self.mapSize))
    try Self.check("mdb_env_set_maxdbs", unsafe mdb_env_set_maxdbs(opened, 3))
    let flags = UInt32(isDurable ? 0 : MDB_NOSYNC) | UInt32(MDB_NOTLS)
    try Self.check("mdb_env_open", unsafe mdb_env_open(opened, folder, flags, 0o600))
    address = UInt(bitPattern: opened)

    var transaction: OpaquePointer?
    try Self.check("mdb_txn_begin", unsafe mdb_txn_begin(opened, nil, 0, &transaction))
    let started = unsafe transaction
    func database(_ name: String) throws -> MDB_dbi {
      var database = MDB_dbi()
      try Self.check(
        "mdb_dbi_open", unsafe mdb_dbi_open(started, name, UInt32(MDB_CREATE), &database))
      return database
    }
    users = try database("users")
    cities = try database("cities")
    ages = try database("ages")
    try Self.check("mdb_txn_commit", unsafe mdb_txn_commit(started))
  }

  private var handle: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

  static func check(_ call: String, _ status: Int32) throws {
    guard status == MDB_SUCCESS else {
      throw EngineError("\(call): \(unsafe String(cString: mdb_strerror(status)))")
    }
  }

  /// Runs the body in one transaction that writes.
  func write(_ body: (LMDBTransaction) throws -> Void) throws {
    var handle: OpaquePointer?
    try Self.check("mdb_txn_begin", unsafe mdb_txn_begin(self.handle, nil, 0, &handle))
    guard let opened = unsafe handle else { throw EngineError("mdb_txn_begin") }
    do { try unsafe body(LMDBTransaction(opened, self)) } catch {
      unsafe mdb_txn_abort(opened)
      throw error
    }
    try Self.check("mdb_txn_commit", unsafe mdb_txn_commit(opened))
  }

  /// Runs the body in one transaction that reads.
  func read(_ body: (LMDBTransaction) throws -> Void) throws {
    var handle: OpaquePointer?
    try Self.check(
      "mdb_txn_begin", unsafe mdb_txn_begin(self.handle, nil, UInt32(MDB_RDONLY), &handle))
    guard let opened = unsafe handle else { throw EngineError("mdb_txn_begin") }
    defer { unsafe mdb_txn_abort(opened) }
    try unsafe body(LMDBTransaction(opened, self))
  }

  func sync() throws { try Self.check("mdb_env_sync", unsafe mdb_env_sync(handle, 1)) }

  /// Writes a copy without free pages into another folder.
  func copy(to folder: String) throws {
    try Self.check(
      "mdb_env_copy2", unsafe mdb_env_copy2(handle, folder, UInt32(MDB_CP_COMPACT)))
  }

  func close() { unsafe mdb_env_close(handle) }
}
