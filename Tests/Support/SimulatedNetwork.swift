internal import NyaruEngine
package import NyaruSyncLog
internal import Synchronization

/// A network to one endpoint in this process, which loses, repeats and cuts as a seed decides.
package final class SimulatedNetwork: EndpointTransport {
  /// How often something happens to a call, from 0 to 1.
  package struct Faults: Sendable {
    package var lostRequests: Double
    package var lostAnswers: Double
    package var repeatedRequests: Double
    package var cutRequests: Double
    package var cutAnswers: Double

    package init(
      lostRequests: Double = 0, lostAnswers: Double = 0, repeatedRequests: Double = 0,
      cutRequests: Double = 0, cutAnswers: Double = 0
    ) {
      self.lostRequests = lostRequests
      self.lostAnswers = lostAnswers
      self.repeatedRequests = repeatedRequests
      self.cutRequests = cutRequests
      self.cutAnswers = cutAnswers
    }

    package static let none = Faults()
  }

  /// One call, as it went over the network.
  package struct Call: Sendable {
    package var route: EndpointRoute
    package var request: [UInt8]
    package var response: EndpointResponse
  }

  private struct State {
    var faults: Faults
    var random: SeededGenerator
    var calls: [Call] = []
  }

  private let service: EndpointService
  private let state: Mutex<State>

  package init(_ store: any EndpointStore, faults: Faults = .none, seed: UInt64 = 0) {
    service = EndpointService(store: store)
    state = Mutex(State(faults: faults, random: SeededGenerator(seed: seed)))
  }

  package var faults: Faults {
    get { state.withLock { $0.faults } }
    set { state.withLock { $0.faults = newValue } }
  }

  /// The calls that were answered, until they are taken.
  package func takeCalls() -> [Call] {
    state.withLock { state in
      defer { state.calls = [] }
      return state.calls
    }
  }

  package func call(
    _ route: EndpointRoute, vault: VaultID, body: [UInt8]
  ) async throws(TransportFailure) -> EndpointResponse {
    let faults = faults
    if chance(faults.lostRequests) { throw TransportFailure("the request was lost") }
    let isCut = chance(faults.cutRequests)
    let sent = isCut ? cut(body) : body
    var response = await service.respond(to: route, vault: vault, body: sent, mayCreate: true)
    if isCut { throw TransportFailure("the connection ended while sending") }
    if chance(faults.repeatedRequests) {
      response = await service.respond(to: route, vault: vault, body: sent, mayCreate: true)
    }
    if chance(faults.lostAnswers) { throw TransportFailure("the answer was lost") }
    if chance(faults.cutAnswers) { response.body = cut(response.body) }
    let call = Call(route: route, request: body, response: response)
    state.withLock { $0.calls.append(call) }
    return response
  }

  private func chance(_ probability: Double) -> Bool {
    if probability == 0 { return false }
    return state.withLock { Double.random(in: 0..<1, using: &$0.random) < probability }
  }

  private func cut(_ body: [UInt8]) -> [UInt8] {
    let size = state.withLock { Int.random(in: 0..<max(1, body.count), using: &$0.random) }
    return Array(body.prefix(size))
  }
}
