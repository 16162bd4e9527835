extension NyaruError {
  /// What a store's error means to the caller of a collection.
  package init(_ error: StorageError) {
    self =
      switch error {
      case .io(let error):
        .storageFailed(operation: error.operation, path: error.path, errno: error.code)
      case .poisoned(let error): .needsReopening(reason: error.description)
      case .damaged(let file, let offset, let what):
        .damaged(path: file, reason: "\(what) at byte \(offset)")
      case .corruptedRecord(let idKey):
        .corruptedRecord(
          id: try? OrderedKey.decode(idKey), reason: "its bytes are not what was written")
      case .limit(let name, let limit):
        .limitExceeded(limit: name, maximum: Int(clamping: limit), actual: .max)
      case .changesCollected(let below): .changesCollected(through: below)
      case .sealing(let error): Self(error)
      case .closed: .closed
      }
  }

  /// What a database directory's error means to the caller.
  package init(_ error: DatabaseDirectoryError) {
    self =
      switch error {
      case .io(let error):
        .storageFailed(operation: error.operation, path: error.path, errno: error.code)
      case .locked(let path, let processID): .databaseLocked(path: path, processID: processID)
      case .notFound(let path): .databaseNotFound(path: path)
      case .foreign(let path, let fileName):
        .damaged(path: path, reason: "not a database: it holds other files, such as \(fileName)")
      case .keyRequired(let path, let method):
        .wrongKey(reason: "\(path) is encrypted; open it with its \(method.noun)")
      case .notEncrypted(let path):
        .wrongKey(reason: "\(path) is not encrypted; open it without a key")
      case .key(let path, let failure): Self(failure, path: path)
      case .damaged(let path, let error): .damaged(path: path, reason: "\(error)")
      case .poisoned(let error): .needsReopening(reason: error.description)
      case .collectionNotFound(let name): .collectionNotFound(name)
      case .collectionExists(let name): .collectionTypeMismatch(name)
      case .limit(let name, let limit):
        .limitExceeded(limit: name, maximum: limit, actual: .max)
      case .crypto(let error): Self(error)
      case .closed: .closed
      }
  }

  /// What broken bytes of a document mean.
  package init(_ error: FormatError) {
    self = .invalidDocument(reason: "\(error)")
  }

  private init(_ error: CryptoError) {
    self =
      switch error {
      case .authenticationFailed: .decryptionFailed
      default: .wrongKey(reason: error.description)
      }
  }

  private init(_ failure: KeyRing.Failure, path: String) {
    self =
      switch failure {
      case .wrongKey: .wrongKey(reason: "the key does not open \(path)")
      case .wrongMethod(let method):
        .wrongKey(reason: "\(path) opens with its \(method.noun), which was not given")
      case .password(let error): .wrongKey(reason: "the password cannot be used: \(error)")
      case .damaged: .damaged(path: path, reason: "the wrapped key was changed")
      }
  }

  /// Runs calls to a store.
  static func storage<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(NyaruError) -> Result {
    do throws(StorageError) { return try body() } catch { throw NyaruError(error) }
  }

  /// Runs calls to the database's directory.
  static func directory<Result>(
    _ body: () throws(DatabaseDirectoryError) -> Result
  ) throws(NyaruError) -> Result {
    do throws(DatabaseDirectoryError) { return try body() } catch { throw NyaruError(error) }
  }

  /// Runs a reader of encoded documents.
  static func format<Result>(
    _ body: () throws(FormatError) -> Result
  ) throws(NyaruError) -> Result {
    do throws(FormatError) { return try body() } catch { throw NyaruError(error) }
  }

  /// Runs a coder, whose errors become ``invalidDocument(reason:)``.
  static func coding<Result>(_ body: () throws -> Result) throws(NyaruError) -> Result {
    do {
      return try body()
    } catch let error as NyaruError {
      throw error
    } catch let error as DecodingError {
      throw .invalidDocument(reason: Self.text(of: error))
    } catch let error as EncodingError {
      throw .invalidDocument(reason: Self.text(of: error))
    } catch {
      throw .invalidDocument(reason: "\(error)")
    }
  }

  private static func text(of error: DecodingError) -> String {
    switch error {
    case .typeMismatch(let type, let context):
      "\(place(context.codingPath)) is not a \(type): \(context.debugDescription)"
    case .valueNotFound(let type, let context):
      "\(place(context.codingPath)) has no \(type): \(context.debugDescription)"
    case .keyNotFound(let key, let context):
      "\(place(context.codingPath + [key])) is missing"
    case .dataCorrupted(let context):
      "\(place(context.codingPath)): \(context.debugDescription)"
    @unknown default: "\(error)"
    }
  }

  private static func text(of error: EncodingError) -> String {
    switch error {
    case .invalidValue(_, let context):
      "\(place(context.codingPath)): \(context.debugDescription)"
    @unknown default: "\(error)"
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    path.isEmpty
      ? "the document" : "the field \"\(path.map(\.stringValue).joined(separator: "."))\""
  }
}

extension KeyProtection.Method {
  /// What the user holds, for error texts.
  fileprivate var noun: String {
    switch self {
    case .key: "key"
    case .password: "password"
    }
  }
}
