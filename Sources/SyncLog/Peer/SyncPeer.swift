/// The other side of a sync, as messages: an endpoint behind a transport, or another directory.
package protocol SyncPeer: Sendable {
  func session(_ request: SessionRequest) async throws(PeerFailure) -> SessionAnswer
  func pull(_ request: PullRequest) async throws(PeerFailure) -> PullPage
  func push(_ request: PushRequest) async throws(PeerFailure) -> PushAnswer
  func fetch(_ request: FetchRequest) async throws(PeerFailure) -> FetchAnswer

  /// Requests made and bytes moved in both directions so far.
  var traffic: Traffic { get }
}

/// What went over the wire.
package struct Traffic: Equatable, Sendable {
  package var requests: Int
  package var bytes: Int

  package init(requests: Int = 0, bytes: Int = 0) {
    self.requests = requests
    self.bytes = bytes
  }
}

/// Why the other side gave no answer.
package enum PeerFailure: Error, Equatable, Sendable {
  /// The request or its answer was lost; whether it took effect is unknown.
  case network(String)

  /// The endpoint refused, and says why.
  case endpoint(EndpointFailure)

  /// Something answered, but not in the protocol.
  case notAnEndpoint(String)

  /// The other directory's database failed.
  case database(String)
}

/// Carries request bodies to an endpoint and brings its responses, whatever they say.
///
/// A transport makes one attempt, or repeats where that is safe: every call of the protocol is.
/// It throws only if no response came.
package protocol EndpointTransport: Sendable {
  func call(
    _ route: EndpointRoute, vault: VaultID, body: [UInt8]
  ) async throws(TransportFailure) -> EndpointResponse
}

/// No response came: the address, the connection or the time limit failed.
package struct TransportFailure: Error, Equatable, Sendable, CustomStringConvertible {
  package var description: String

  /// Something answered, but not in the transport's language.
  package var isForeign: Bool

  package init(_ description: String, isForeign: Bool = false) {
    self.description = description
    self.isForeign = isForeign
  }
}
