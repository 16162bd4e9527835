import NyaruEngine
import NyaruSyncHTTP
import NyaruSyncLog
import NyaruSyncServer

extension CommandFailure {
  /// The one place where errors of the libraries become a status and a message.
  package init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as NyaruError: self.init(Self.code(of: error), error.description)
    case let error as FilterSyntaxError: self.init(.usage, error.description)
    case let error as UsageError: self.init(.usage, error.message)
    case let error as SyncError: self.init(error)
    case let error as EndpointServerError: self.init(Self.code(of: error), error.description)
    case let error as TokenStore.Failure: self.init(Self.code(of: error), error.description)
    case let error as TokenError: self.init(.authentication, error.description)
    default: self.init(.damage, "\(error)")
    }
  }

  /// The same failure, with a second sentence.
  func adding(_ sentence: String) -> CommandFailure {
    CommandFailure(code, message + "\n" + sentence)
  }

  private init(_ error: SyncError) {
    let hint: String
    switch error {
    case .joinNeeded, .vaultMismatch: hint = " (--join lets the second join the first)"
    case .notAuthorized: hint = " (--token-file names the token's file)"
    default: hint = ""
    }
    self.init(Self.code(of: error), error.description + hint)
  }

  private static func code(of error: SyncError) -> ExitCode {
    switch error {
    case .vaultMismatch, .joinNeeded, .notAnEndpoint: .protocol
    case .busy: .busy
    case .notAuthorized: .authentication
    case .network: .network
    case .refused(_, _, let retryAfter): retryAfter == nil ? .protocol : .network
    case .notFound: .usage
    case .collectionMismatch, .invalidDocument, .cancelled: .differences
    case .database: .damage
    @unknown default: .damage
    }
  }

  private static func code(of error: EndpointServerError) -> ExitCode {
    switch error {
    case .cannotListen, .insecure, .certificate: .usage
    case .busy: .busy
    default: .damage
    }
  }

  private static func code(of error: TokenStore.Failure) -> ExitCode {
    switch error {
    case .busy: .busy
    case .tooMany: .differences
    default: .damage
    }
  }

  private static func code(of error: NyaruError) -> ExitCode {
    switch error {
    case .databaseLocked: .busy
    case .wrongKey, .decryptionFailed: .authentication
    case .databaseNotFound, .collectionNotFound, .collectionTypeMismatch: .usage
    case .duplicateID, .documentNotFound, .missingID, .idChanged, .repeatedID, .invalidDocument,
      .limitExceeded, .unresolvedConflict, .changedMeanwhile, .changesCollected:
      .differences
    default: .damage
    }
  }
}
