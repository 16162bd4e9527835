/// What a sync can report to its caller.
///
/// What was exchanged before an error stays: a sync can be run again at any time, and goes on
/// where it was.
public enum SyncError: Error, Equatable, Sendable {
  /// The databases belong to different vaults. Nothing was exchanged.
  case vaultMismatch(local: String, remote: String)

  /// Both databases hold data and never shared a vault; joining them was not asked for.
  case joinNeeded(local: String, remote: String)

  /// A collection has another id field on the other side. It was left alone.
  case collectionMismatch(collection: String, localField: String, remoteField: String)

  /// Another sync of this database runs.
  case busy(path: String)

  /// The endpoint refused the token, or it does not allow the call.
  case notAuthorized(String)

  /// No answer came. The sync may be repeated.
  case network(String)

  /// What answered is not an endpoint, or breaks the protocol.
  case notAnEndpoint(String)

  /// The endpoint refused, and says why. Where it says so, the sync may be repeated later.
  case refused(code: String, reason: String, retryAfter: Int?)

  /// There is no such collection, document or version.
  case notFound(String)

  /// A document cannot take the place that was asked for.
  case invalidDocument(String)

  /// The local database, or its disk, failed.
  case database(String)

  /// The task was cancelled.
  case cancelled
}

extension SyncError: CustomStringConvertible {
  /// What happened and what to do, in one or two sentences.
  public var description: String {
    switch self {
    case .vaultMismatch(let local, let remote):
      "the two sides belong to different vaults (\(local) and \(remote)); "
        + "joining moves the second one into the first one's vault"
    case .joinNeeded(let local, let remote):
      "\(local) and \(remote) both hold data and never synced with each other; "
        + "joining them must be asked for"
    case .collectionMismatch(let collection, let localField, let remoteField):
      "collection \(collection) has the id field \(localField) here, and \(remoteField) there"
    case .busy(let path): "another sync of \(path) is running"
    case .notAuthorized(let reason): "not authorized: \(reason)"
    case .network(let reason): "no answer: \(reason)"
    case .notAnEndpoint(let reason): "not an endpoint: \(reason)"
    case .refused(let code, let reason, let retryAfter):
      "the endpoint refused (\(code)): \(reason)"
        + (retryAfter.map { "; try again in \($0) s" } ?? "")
    case .notFound(let what): "there is no \(what)"
    case .invalidDocument(let reason): reason
    case .database(let reason): reason
    case .cancelled: "the sync was cancelled"
    }
  }

  /// Maps what the layers below throw.
  package init(_ error: any Error) {
    switch error {
    case let error as SyncError: self = error
    case let failure as PeerFailure: self.init(failure)
    case is CancellationError: self = .cancelled
    default: self = .database("\(error)")
    }
  }

  private init(_ failure: PeerFailure) {
    switch failure {
    case .network(let reason): self = .network(reason)
    case .notAnEndpoint(let reason): self = .notAnEndpoint(reason)
    case .database(let reason): self = .database(reason)
    case .endpoint(let failure):
      switch failure.code {
      case .unauthorized, .forbidden: self = .notAuthorized(failure.detail)
      default:
        self = .refused(
          code: failure.code.rawValue, reason: failure.detail, retryAfter: failure.retryAfter)
      }
    }
  }
}
