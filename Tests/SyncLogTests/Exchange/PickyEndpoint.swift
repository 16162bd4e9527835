import NyaruSyncLog
import Synchronization
import TestSupport

/// An endpoint that refuses records by their places in a push.
final class PickyEndpoint: EndpointStore {
  private let endpoint: MemoryEndpoint
  private let places = Mutex(Set<Int>())

  init(_ endpoint: MemoryEndpoint) { self.endpoint = endpoint }

  /// The places; a push without them goes through.
  var refusedPlaces: Set<Int> {
    get { places.withLock { $0 } }
    set { places.withLock { $0 = newValue } }
  }

  func session(
    _ request: SessionRequest, vault: VaultID, mayCreate: Bool
  ) async throws(EndpointFailure) -> SessionAnswer {
    try await endpoint.session(request, vault: vault, mayCreate: mayCreate)
  }

  func pull(
    _ request: PullRequest, vault: VaultID
  ) async throws(EndpointFailure) -> PullPage {
    try await endpoint.pull(request, vault: vault)
  }

  func push(
    _ request: PushRequest, vault: VaultID
  ) async throws(EndpointFailure) -> PushAnswer {
    let places = refusedPlaces
    if request.envelopes.count > 9 + (places.isEmpty ? 1000 : 0) {
      let records = places.sorted().map { place in
        EndpointFailure.Record(index: place, code: .tooManyHeads, detail: "too many")
      }
      if let refusal = EndpointLogic.refusal(of: records) { throw refusal }
    }
    return try await endpoint.push(request, vault: vault)
  }

  func fetch(
    _ request: FetchRequest, vault: VaultID
  ) async throws(EndpointFailure) -> FetchAnswer {
    try await endpoint.fetch(request, vault: vault)
  }
}

/// What a progress callback was told.
final class Told: Sendable {
  private let told = Mutex([SyncProgress]())

  var all: [SyncProgress] { told.withLock { $0 } }

  func append(_ progress: SyncProgress) { told.withLock { $0.append(progress) } }
}
