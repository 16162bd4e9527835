/// What every engine is asked to do.
///
/// Each call holds the loop, so that no engine pays for being called through a protocol. An engine
/// keeps users under their ids, and finds them by city and by age.
protocol Engine {
  /// Opens or creates the store in a folder; a durable one survives a power cut with each write.
  init(folder: String, isDurable: Bool) async throws

  /// Writes all, or none.
  func insert(batch: [User]) async throws

  /// Writes one by one.
  func insert(each users: [User]) async throws

  /// Writes one by one, from several writers at the same time.
  func insert(each shares: [[User]]) async throws

  /// Reads and decodes one by one.
  ///
  /// - Returns: The sum of ages, so that no read can be left out.
  func read(each ids: [String]) async throws -> Int

  /// Replaces one by one; age and city differ from what is stored.
  func update(each users: [User]) async throws

  func delete(each ids: [String]) async throws

  /// Deletes all, or none.
  func delete(batch ids: [String]) async throws

  /// Decodes every user, into one array.
  func all() async throws -> [User]

  /// Decodes every user, one after the other, and keeps none.
  ///
  /// - Returns: The sum of ages.
  func stream() async throws -> Int

  /// Makes everything written so far durable.
  func sync() async throws

  /// Gives back the space of what was deleted and replaced.
  func compact() async throws

  func close() async throws
}

/// The engines by the names that the command line knows.
enum EngineName: String, CaseIterable, Sendable {
  case nyaru
  case nyaruGzip = "nyaru-gzip"
  case nyaruKey = "nyaru-key"
  case sqlite
  case sqliteJSON = "sqlite-json"
  case lmdb
  case rocksdb

  /// Opens the engine's store.
  func open(folder: String, isDurable: Bool = false) async throws -> any Engine {
    switch self {
    case .nyaru: try await NyaruEngine(folder: folder, isDurable: isDurable)
    case .nyaruGzip: try await NyaruGzipEngine(folder: folder, isDurable: isDurable)
    case .nyaruKey: try await NyaruKeyEngine(folder: folder, isDurable: isDurable)
    case .sqlite: try SQLiteEngine(folder: folder, isDurable: isDurable)
    case .sqliteJSON: try SQLiteJSONEngine(folder: folder, isDurable: isDurable)
    case .lmdb: try LMDBEngine(folder: folder, isDurable: isDurable)
    case .rocksdb: try RocksDBEngine(folder: folder, isDurable: isDurable)
    }
  }
}

/// An engine's refusal, in its own words.
struct EngineError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
