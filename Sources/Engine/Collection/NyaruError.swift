/// What a database, a collection or a query can report to its caller.
///
/// The cases name what the caller can act on; ``description`` says what happened, to what, and
/// what to do. A broken invariant inside the engine is no error: it stops the process.
@nonexhaustive
public enum NyaruError: Error, Equatable, Sendable {
  /// A document with this id exists. Nothing was written.
  case duplicateID(DocumentValue)

  /// There is no document with this id to update, patch or resolve. Nothing was written.
  case documentNotFound(DocumentValue)

  /// The document has no value in the collection's id field, or one that cannot be an id.
  case missingID(field: String)

  /// The patch or update would change the id of the document. Nothing was written.
  case idChanged(from: DocumentValue, to: DocumentValue)

  /// Two operations of one batch name the same id. Nothing was written.
  case repeatedID(DocumentValue)

  /// The value does not encode to a document, or the document does not decode to the type.
  case invalidDocument(reason: String)

  /// A size or count is above a named limit. Nothing was written.
  case limitExceeded(limit: String, maximum: Int, actual: Int)

  /// The key is wrong, or the database has a key and none was given, or the other way round.
  case wrongKey(reason: String)

  /// Sealed bytes do not open with the right key: they were changed or moved.
  case decryptionFailed

  /// The collection was created with another id field, partition key, format or compression.
  case collectionTypeMismatch(String)

  /// Another handle, in this process or another, has the database open.
  case databaseLocked(path: String, processID: Int32?)

  /// There is no database in this directory, and none was to be created.
  case databaseNotFound(path: String)

  /// There is no such collection, and none was to be created.
  case collectionNotFound(String)

  /// The disk failed. Nothing is promised of the call; see ``needsReopening(reason:)``.
  case storageFailed(operation: String, path: String, errno: Int32)

  /// A write or flush failed before. Reads go on; writes need the database to be opened again.
  case needsReopening(reason: String)

  /// A record's bytes do not read any more. Everything else in the collection does.
  case corruptedRecord(id: DocumentValue?, reason: String)

  /// A file is damaged in a way that opening cannot repair.
  case damaged(path: String, reason: String)

  /// Changes up to this sequence were collected and cannot be listed any more.
  case changesCollected(through: UInt64)

  /// The document has several standing versions and the call needs to know which one.
  case unresolvedConflict(DocumentValue)

  /// The database or the collection was closed, or the collection was dropped.
  case closed

  /// The record was changed between reading and writing. Nothing was written; try again.
  case changedMeanwhile(DocumentValue)
}

extension NyaruError: CustomStringConvertible {
  /// What happened, to what, and what to do about it, in one or two sentences.
  public var description: String {
    switch self {
    case .duplicateID(let id):
      "a document with the id \(id) exists; update or upsert it instead"
    case .documentNotFound(let id):
      "there is no document with the id \(id)"
    case .missingID(let field):
      "the document has no usable value in the id field \"\(field)\""
    case .idChanged(let old, let new):
      "the id of a document cannot change from \(old) to \(new); delete and insert instead"
    case .repeatedID(let id):
      "two operations of one batch name the id \(id)"
    case .invalidDocument(let reason):
      "not a valid document: \(reason)"
    case .limitExceeded(let limit, let maximum, let actual):
      "\(actual) is above the limit \(limit) of \(maximum)"
    case .unresolvedConflict(let id):
      "the document \(id) has standing conflicts; resolve them first"
    case .changedMeanwhile(let id):
      "the document \(id) was changed meanwhile; read it again and retry"
    case .changesCollected(let through):
      "the changes up to \(through) were collected; start again from a full listing"
    default: storageDescription
    }
  }

  private var storageDescription: String {
    switch self {
    case .wrongKey(let reason): reason
    case .decryptionFailed:
      "sealed bytes do not open: they were changed, or belong to another place"
    case .collectionTypeMismatch(let name):
      "the collection \"\(name)\" was created with another id field, partition key or format"
    case .databaseLocked(let path, let processID):
      "\(path) is in use by "
        + (processID.map { "the process \($0)" } ?? "another handle") + "; close it first"
    case .databaseNotFound(let path): "there is no database in \(path)"
    case .collectionNotFound(let name): "there is no collection \"\(name)\""
    case .storageFailed(let operation, let path, let errno):
      "\(operation) failed on \(path): \(ErrorText.message(for: errno))"
    case .needsReopening(let reason):
      "an earlier write failed (\(reason)); close the database and open it again"
    case .corruptedRecord(let id, let reason):
      "a record does not read (\(id.map { "id \($0)" } ?? "id unknown")): \(reason)"
    case .damaged(let path, let reason): "\(path) is damaged: \(reason)"
    case .closed: "the database or collection is closed"
    default: "an unknown error"
    }
  }
}
