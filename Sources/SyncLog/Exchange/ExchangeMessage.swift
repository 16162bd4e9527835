internal import NyaruEngine

/// What is said of an exchange: no address, since an endpoint's names the vault.
enum ExchangeMessage {
  static func begin(_ path: String, _ peer: Peer, _ direction: CollectionExchange.Direction) {
    NyaruLogger.log(.info, "\(word(for: direction)) of \(path) with \(noun(for: peer)) begins")
  }

  static func end(_ path: String, _ report: SyncReport) {
    NyaruLogger.log(
      report.problems.isEmpty ? .info : .warning,
      "exchange of \(path) ended: \(report.sent) sent, \(report.received) received, "
        + "\(report.conflicts) conflicts, \(report.problems.count) problems, "
        + "\(report.bytes) bytes in \(report.requests) requests")
  }

  static func failure(_ path: String, _ error: SyncError) {
    NyaruLogger.log(.warning, "exchange of \(path) failed: \(reason(for: error))")
  }

  private static func word(for direction: CollectionExchange.Direction) -> String {
    switch (direction.pulls, direction.pushes) {
    case (true, true): "sync"
    case (true, false): "pull"
    default: "push"
    }
  }

  private static func noun(for peer: Peer) -> String {
    switch peer.kind {
    case .endpoint: "an endpoint"
    case .directory(let other): other.path
    }
  }

  /// The kind of the error; its text may name a document.
  private static func reason(for error: SyncError) -> String {
    switch error {
    case .vaultMismatch: "the vaults differ"
    case .joinNeeded: "joining the vaults was not asked for"
    case .collectionMismatch: "a collection has another id field on the other side"
    case .busy: "another sync runs"
    case .notAuthorized: "not authorized"
    case .network: "no answer"
    case .notAnEndpoint: "what answered is no endpoint"
    case .refused(let code, _, _): "the endpoint refused (\(code))"
    case .notFound, .invalidDocument: "a document or collection was refused"
    case .database: "the database failed"
    case .cancelled: "cancelled"
    }
  }
}
