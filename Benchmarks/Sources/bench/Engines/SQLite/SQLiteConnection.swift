import CSQLite

/// One connection to a SQLite database, with WAL.
@safe final class SQLiteConnection {
  private let handle: OpaquePointer

  /// `synchronous` is NORMAL, which a power cut may cost the last commits, or FULL.
  init(path: String, isDurable: Bool) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let status = unsafe sqlite3_open_v2(path, &handle, flags, nil)
    guard status == SQLITE_OK, let opened = unsafe handle else {
      throw EngineError("sqlite3_open_v2: \(status)")
    }
    unsafe self.handle = opened
    unsafe sqlite3_busy_timeout(opened, 60_000)
    try run("PRAGMA journal_mode=WAL")
    try run("PRAGMA synchronous=\(isDurable ? "FULL" : "NORMAL")")
  }

  deinit { _ = unsafe sqlite3_close_v2(handle) }

  func run(_ sql: String) throws {
    guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  func statement(_ sql: String) throws -> SQLiteStatement {
    var statement: OpaquePointer?
    guard
      unsafe sqlite3_prepare_v3(
        handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let prepared = unsafe statement
    else { throw failure(sql) }
    return unsafe SQLiteStatement(prepared)
  }

  /// Runs the body in one transaction.
  func transaction(_ body: () throws -> Void) throws {
    try run("BEGIN IMMEDIATE")
    do { try body() } catch {
      try run("ROLLBACK")
      throw error
    }
    try run("COMMIT")
  }

  private func failure(_ call: String) -> EngineError {
    EngineError("\(call): \(unsafe String(cString: sqlite3_errmsg(handle)))")
  }
}

/// A prepared statement; what comes out of it was copied.
@safe final class SQLiteStatement {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { _ = unsafe sqlite3_finalize(handle) }

  func bind(_ index: Int32, _ text: String) {
    var text = text
    _ = text.withUTF8 { bytes in
      // An empty string may have no address, which would bind NULL.
      unsafe bytes.withMemoryRebound(to: CChar.self) { chars in
        unsafe chars.isEmpty
          ? csqlite_bind_text(handle, index, "", 0)
          : csqlite_bind_text(handle, index, chars.baseAddress, Int32(chars.count))
      }
    }
  }

  func bind(_ index: Int32, _ number: Int) {
    _ = unsafe sqlite3_bind_int64(handle, index, Int64(number))
  }

  func bind(_ index: Int32, _ number: Double) {
    _ = unsafe sqlite3_bind_double(handle, index, number)
  }

  /// Steps to the next row.
  ///
  /// - Returns: Whether there is one.
  func step() throws -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      unsafe sqlite3_reset(handle)
      return false
    case let status:
      unsafe sqlite3_reset(handle)
      throw EngineError("sqlite3_step: \(status)")
    }
  }

  /// Runs the statement, which has no rows.
  func run() throws { while try step() {} }

  func reset() { _ = unsafe sqlite3_reset(handle) }

  func text(_ column: Int32) -> String {
    unsafe withBytes(column) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of a column, until the next step.
  func withBytes<Result>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let start = unsafe sqlite3_column_text(handle, column)
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }

  func integer(_ column: Int32) -> Int { Int(unsafe sqlite3_column_int64(handle, column)) }

  func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }
}
