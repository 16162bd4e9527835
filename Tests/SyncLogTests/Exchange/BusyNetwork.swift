import NyaruSyncLog
import Synchronization
import TestSupport

/// A network on which something else happens right before the first call of a route.
final class BusyNetwork: EndpointTransport {
  typealias Interruption = @Sendable () async throws -> Void

  private let network: SimulatedNetwork
  private let interruptions: Mutex<[EndpointRoute: Interruption]>

  init(_ network: SimulatedNetwork, _ interruptions: [EndpointRoute: Interruption]) {
    self.network = network
    self.interruptions = Mutex(interruptions)
  }

  func call(
    _ route: EndpointRoute, vault: VaultID, body: [UInt8]
  ) async throws(TransportFailure) -> EndpointResponse {
    let interruption = interruptions.withLock { $0.removeValue(forKey: route) }
    do { try await interruption?() } catch { throw TransportFailure("\(error)") }
    return try await network.call(route, vault: vault, body: body)
  }
}
