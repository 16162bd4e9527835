import NyaruSyncLog
import TestSupport

/// An endpoint that accepts every ticket.
struct LenientEndpoint: EndpointStore {
  private let endpoint: MemoryEndpoint

  init(_ endpoint: MemoryEndpoint) { self.endpoint = endpoint }

  func session(
    _ request: SessionRequest, vault: VaultID, mayCreate: Bool
  ) async throws(EndpointFailure) -> SessionAnswer {
    var request = request
    // Whatever the newest ticket is, the client seems to know it.
    for index in request.claims.indices {
      request.claims[index].knownTickets +=
        endpoint.tickets(of: request.replica, request.claims[index].collection, vault: vault)
    }
    return try await endpoint.session(request, vault: vault, mayCreate: mayCreate)
  }

  func pull(
    _ request: PullRequest, vault: VaultID
  ) async throws(EndpointFailure) -> PullPage {
    try await endpoint.pull(request, vault: vault)
  }

  func push(
    _ request: PushRequest, vault: VaultID
  ) async throws(EndpointFailure) -> PushAnswer {
    try await endpoint.push(request, vault: vault)
  }

  func fetch(
    _ request: FetchRequest, vault: VaultID
  ) async throws(EndpointFailure) -> FetchAnswer {
    try await endpoint.fetch(request, vault: vault)
  }
}
