internal import NyaruEngine
internal import Synchronization

/// An endpoint, reached through a transport: encodes requests and decodes what comes back.
package final class EndpointPeer: SyncPeer {
  private let transport: any EndpointTransport
  private let vault: VaultID
  private let counters = Mutex(Traffic())

  package init(transport: any EndpointTransport, vault: VaultID) {
    self.transport = transport
    self.vault = vault
  }

  package var traffic: Traffic { counters.withLock { $0 } }

  package func session(_ request: SessionRequest) async throws(PeerFailure) -> SessionAnswer {
    let body = try await call(.session, request.encoded())
    return try decode { () throws(FormatError) in try SessionAnswer(decoding: body) }
  }

  package func pull(_ request: PullRequest) async throws(PeerFailure) -> PullPage {
    let body = try await call(.pull, request.encoded())
    return try decode { () throws(FormatError) in try PullPage(decoding: body) }
  }

  package func push(_ request: PushRequest) async throws(PeerFailure) -> PushAnswer {
    let body = try await call(.push, request.encoded())
    return try decode { () throws(FormatError) in try PushAnswer(decoding: body) }
  }

  package func fetch(_ request: FetchRequest) async throws(PeerFailure) -> FetchAnswer {
    let body = try await call(.fetch, request.encoded())
    return try decode { () throws(FormatError) in try FetchAnswer(decoding: body) }
  }

  private func call(
    _ route: EndpointRoute, _ body: [UInt8]
  ) async throws(PeerFailure) -> [UInt8] {
    let response: EndpointResponse
    do throws(TransportFailure) {
      response = try await transport.call(route, vault: vault, body: body)
    } catch {
      throw error.isForeign ? .notAnEndpoint(error.description) : .network(error.description)
    }
    counters.withLock { traffic in
      traffic.requests += 1
      traffic.bytes += body.count + response.body.count
    }
    if response.status == 200 {
      guard response.mediaType == EndpointRoute.mediaType else {
        throw .notAnEndpoint("the answer is \(response.mediaType)")
      }
      return response.body
    }
    if let failure = EndpointFailure(decoding: response.body, retryAfter: response.retryAfter) {
      throw .endpoint(failure)
    }
    throw Self.failure(status: response.status, retryAfter: response.retryAfter)
  }

  /// Proxies answer for themselves, without a problem document; their status still counts.
  private static func failure(status: Int, retryAfter: Int?) -> PeerFailure {
    let code: EndpointFailure.Code? =
      switch status {
      case 401: .unauthorized
      case 403: .forbidden
      case 413: .tooLarge
      case 429: .tooManyRequests
      case 500: .internalError
      case 502, 503, 504: .unavailable
      default: nil
      }
    guard let code else { return .notAnEndpoint("status \(status)") }
    return .endpoint(EndpointFailure(code, "status \(status)", retryAfter: retryAfter))
  }

  private func decode<Answer>(
    _ read: () throws(FormatError) -> Answer
  ) throws(PeerFailure) -> Answer {
    do throws(FormatError) { return try read() } catch {
      throw .notAnEndpoint("the answer does not read: \(error)")
    }
  }
}
