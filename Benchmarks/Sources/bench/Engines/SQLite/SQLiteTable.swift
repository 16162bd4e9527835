import CSQLite

/// The statements of one connection, for either way of keeping users in a table.
protocol SQLiteTable: SendableMetatype {
  /// Creates the table and its indexes.
  static var schema: [String] { get }

  init(_ connection: SQLiteConnection) throws

  var insert: SQLiteStatement { get }
  var select: SQLiteStatement { get }
  var selectAll: SQLiteStatement { get }
  var update: SQLiteStatement { get }
  var delete: SQLiteStatement { get }

  /// Binds what ``insert`` asks for.
  func bindInsert(_ user: User) throws

  /// Binds what ``update`` asks for.
  func bindUpdate(_ user: User) throws

  /// The user in the row at which a statement stands.
  func user(_ row: SQLiteStatement) throws -> User
}

/// SQLite with prepared statements; the table decides how a user is kept.
class SQLiteEngineBase<Table: SQLiteTable>: Engine {
  private let path: String
  private let connection: SQLiteConnection
  private let table: Table
  private let isDurable: Bool

  required init(folder: String, isDurable: Bool) throws {
    path = folder + "/users.sqlite"
    self.isDurable = isDurable
    connection = try SQLiteConnection(path: path, isDurable: isDurable)
    for statement in Table.schema { try connection.run(statement) }
    table = try Table(connection)
  }

  func insert(batch: [User]) throws {
    try connection.transaction { try insert(each: batch) }
  }

  func insert(each users: [User]) throws {
    for user in users {
      try table.bindInsert(user)
      try table.insert.run()
    }
  }

  /// One connection for each writer, as SQLite wants it.
  func insert(each shares: [[User]]) throws {
    let path = path
    let isDurable = isDurable
    try Threads.run(shares) { users in
      let connection = try SQLiteConnection(path: path, isDurable: isDurable)
      let table = try Table(connection)
      for user in users {
        try table.bindInsert(user)
        try table.insert.run()
      }
    }
  }

  func read(each ids: [String]) throws -> Int {
    var sum = 0
    for id in ids {
      table.select.bind(1, id)
      if try table.select.step() { sum += try table.user(table.select).age }
      table.select.reset()
    }
    return sum
  }

  func update(each users: [User]) throws {
    for user in users {
      try table.bindUpdate(user)
      try table.update.run()
    }
  }

  func delete(each ids: [String]) throws {
    for id in ids {
      table.delete.bind(1, id)
      try table.delete.run()
    }
  }

  func delete(batch ids: [String]) throws {
    try connection.transaction { try delete(each: ids) }
  }

  func all() throws -> [User] {
    var users: [User] = []
    while try table.selectAll.step() { users.append(try table.user(table.selectAll)) }
    return users
  }

  func stream() throws -> Int {
    var sum = 0
    while try table.selectAll.step() { sum += try table.user(table.selectAll).age }
    return sum
  }

  /// A commit that waits for the disk takes everything before it along.
  func sync() throws {
    try connection.run("PRAGMA synchronous=FULL")
    try connection.run("BEGIN IMMEDIATE; PRAGMA user_version=1; COMMIT")
    try connection.run("PRAGMA synchronous=NORMAL")
  }

  func compact() throws {
    try connection.run("VACUUM")
    try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  func close() throws { try connection.run("PRAGMA wal_checkpoint(TRUNCATE)") }
}

/// SQLite with a column for each property.
final class SQLiteEngine: SQLiteEngineBase<SQLiteColumns> {}

/// SQLite with JSON text, and indexes on expressions.
final class SQLiteJSONEngine: SQLiteEngineBase<SQLiteDocuments> {}
