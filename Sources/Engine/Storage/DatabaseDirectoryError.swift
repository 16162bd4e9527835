/// Why a database directory does not open, or does not change.
package enum DatabaseDirectoryError: Error, Equatable, Sendable {
  /// The disk failed.
  case io(IOError)

  /// Another handle has the database open; the process id, if it is known.
  case locked(path: String, processID: Int32?)

  /// There is no database, and none was to be created.
  case notFound(path: String)

  /// The directory has no database but other files, of which one is named here.
  case foreign(path: String, fileName: String)

  /// The database is encrypted, and nothing to open it with was given.
  case keyRequired(path: String, KeyProtection.Method)

  /// The database is not encrypted, but a key was given.
  case notEncrypted(path: String)

  /// The key or password does not open the database, for this reason.
  case key(path: String, KeyRing.Failure)

  /// A file does not read as what it should be.
  case damaged(path: String, FormatError)

  /// A write failed earlier; nothing is changed until the database is opened again.
  case poisoned(IOError)

  /// There is no collection of that name.
  case collectionNotFound(String)

  /// There is a collection of that name.
  case collectionExists(String)

  /// What was to be written exceeds the limit.
  case limit(String, Int)

  /// The crypto library failed.
  case crypto(CryptoError)

  /// The database was closed.
  case closed
}
