import NyaruEngine
import NyaruSyncLog
import TestSupport

/// Replicas of one vault and an endpoint, with short forms for what tests do with them.
struct SyncFixture {
  let key = SecretKey([UInt8](repeating: 42, count: 32).span)
  let endpoint: MemoryEndpoint
  let network: SimulatedNetwork

  init(limits: SessionAnswer.Limits = .init()) {
    endpoint = MemoryEndpoint(limits: limits)
    network = SimulatedNetwork(endpoint)
  }

  var vault: VaultID { VaultKeys.vault(of: key) }
  var peer: Peer { .endpoint(network, address: "memory:", vault: vault) }

  func database(_ path: String) -> MemoryDatabase { MemoryDatabase(path, key: key) }

  @discardableResult
  func sync(
    _ database: MemoryDatabase, options: SyncOptions = SyncOptions()
  ) async throws -> SyncReport {
    try await Replica(database: database).sync(with: peer, options: options)
  }

  /// The heads that the endpoint holds of a collection.
  func heads(_ name: String) -> [EnvelopeHeader] {
    endpoint.heads(TagMaker(VaultKeys(key: key)).collection(name), vault: vault)
  }
}

/// An id key for a number.
func id(_ number: Int) -> [UInt8] { [1, UInt8(number >> 8), UInt8(number & 255)] }
