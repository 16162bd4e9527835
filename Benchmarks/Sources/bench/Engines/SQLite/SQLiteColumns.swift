import FoundationEssentials

/// A column for each property, as one writes it by hand.
struct SQLiteColumns: SQLiteTable {
  static let schema = [
    """
    CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, name TEXT NOT NULL,
      city TEXT NOT NULL, age INTEGER NOT NULL, email TEXT NOT NULL, createdAt REAL NOT NULL,
      tags TEXT NOT NULL, bio TEXT NOT NULL)
    """,
    "CREATE INDEX IF NOT EXISTS users_city ON users (city)",
    "CREATE INDEX IF NOT EXISTS users_age ON users (age)",
  ]
  private static let columns = "id, name, city, age, email, createdAt, tags, bio"

  let insert: SQLiteStatement
  let select: SQLiteStatement
  let selectAll: SQLiteStatement
  let update: SQLiteStatement
  let delete: SQLiteStatement

  init(_ connection: SQLiteConnection) throws {
    insert = try connection.statement(
      "INSERT INTO users (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    select = try connection.statement("SELECT \(Self.columns) FROM users WHERE id = ?")
    selectAll = try connection.statement("SELECT \(Self.columns) FROM users")
    update = try connection.statement("UPDATE users SET city = ?, age = ? WHERE id = ?")
    delete = try connection.statement("DELETE FROM users WHERE id = ?")
  }

  func bindInsert(_ user: User) {
    insert.bind(1, user.id)
    insert.bind(2, user.name)
    insert.bind(3, user.city)
    insert.bind(4, user.age)
    insert.bind(5, user.email)
    insert.bind(6, user.createdAt.timeIntervalSinceReferenceDate)
    insert.bind(7, user.tags.joined(separator: ","))
    insert.bind(8, user.bio)
  }

  /// Only what changed, which is less than what an object mapper writes.
  func bindUpdate(_ user: User) {
    update.bind(1, user.city)
    update.bind(2, user.age)
    update.bind(3, user.id)
  }

  func user(_ row: SQLiteStatement) -> User {
    User(
      id: row.text(0), name: row.text(1), city: row.text(2), age: row.integer(3),
      email: row.text(4), createdAt: Date(timeIntervalSinceReferenceDate: row.double(5)),
      tags: row.text(6).utf8.split(separator: 0x2C).map { String($0) ?? "" }, bio: row.text(7))
  }
}

/// JSON text made by Foundation's coders, with indexes on expressions.
struct SQLiteDocuments: SQLiteTable {
  static let schema = [
    "CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, body TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS users_city ON users (json_extract(body, '$.city'))",
    "CREATE INDEX IF NOT EXISTS users_age ON users (json_extract(body, '$.age'))",
  ]

  let insert: SQLiteStatement
  let select: SQLiteStatement
  let selectAll: SQLiteStatement
  let update: SQLiteStatement
  let delete: SQLiteStatement
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  init(_ connection: SQLiteConnection) throws {
    insert = try connection.statement("INSERT INTO users (id, body) VALUES (?, ?)")
    select = try connection.statement("SELECT body FROM users WHERE id = ?")
    selectAll = try connection.statement("SELECT body FROM users")
    update = try connection.statement("UPDATE users SET body = ? WHERE id = ?")
    delete = try connection.statement("DELETE FROM users WHERE id = ?")
  }

  func bindInsert(_ user: User) throws {
    insert.bind(1, user.id)
    insert.bind(2, try text(user))
  }

  func bindUpdate(_ user: User) throws {
    update.bind(1, try text(user))
    update.bind(2, user.id)
  }

  func user(_ row: SQLiteStatement) throws -> User {
    let data = unsafe row.withBytes(0) { unsafe Data($0) }
    return try decoder.decode(User.self, from: data)
  }

  private func text(_ user: User) throws -> String {
    String(decoding: try encoder.encode(user), as: UTF8.self)
  }
}
