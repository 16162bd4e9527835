import FoundationEssentials
import NyaruEngine
import TestSupport

/// The document of the quick start.
struct Article: Codable, Sendable, Equatable {
  var id: Int
  var title: String
  var author: String
  var publishedAt: Date

  static func sample(_ id: Int, title: String = "Title", author: String = "Ana") -> Article {
    Article(
      id: id, title: title, author: author,
      publishedAt: Date(timeIntervalSinceReferenceDate: Double(id) * 1000.5))
  }
}

extension SecretKey {
  /// A key of one byte, repeated.
  static func sample(_ byte: UInt8) -> SecretKey {
    SecretKey(Array(repeating: byte, count: SecretKey.size).span)
  }
}

/// A database in a directory that goes with it.
struct ScratchDatabase {
  let directory: TemporaryDirectory
  let database: NyaruDB

  init(_ options: DatabaseOptions = DatabaseOptions()) throws {
    directory = try TemporaryDirectory()
    database = try NyaruDB(path: directory.path("db"), options: options)
  }

  /// Closes the database and opens it again.
  func reopened(_ options: DatabaseOptions = DatabaseOptions()) async throws -> ScratchDatabase {
    try await database.close()
    return try ScratchDatabase(directory: directory, options: options)
  }

  private init(directory: TemporaryDirectory, options: DatabaseOptions) throws {
    self.directory = directory
    database = try NyaruDB(path: directory.path("db"), options: options)
  }
}
