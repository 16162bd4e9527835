import NyaruEngine

extension CommandFailure {
  /// The one place where errors of the libraries become a status and a message.
  package init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as NyaruError: self.init(Self.code(of: error), error.description)
    case let error as FilterSyntaxError: self.init(.usage, error.description)
    default: self.init(.damage, "\(error)")
    }
  }

  /// The same failure, with a second sentence.
  func adding(_ sentence: String) -> CommandFailure {
    CommandFailure(code, message + "\n" + sentence)
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
