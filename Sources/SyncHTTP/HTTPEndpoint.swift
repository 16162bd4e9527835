internal import NyaruEngine
public import NyaruSyncLog

/// An endpoint over HTTP: what a replica syncs with over a network.
///
/// Its connection is kept from call to call. It repeats a request where that helps: every call
/// of the protocol may be repeated.
public final class HTTPEndpoint: Sendable {
  /// Sends one request; tests bring their own.
  package typealias Post = @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

  /// Where the vault is served.
  public let address: EndpointAddress

  private let token: String?
  private let policy: RetryPolicy
  private let post: Post
  private let pause: @Sendable (Duration) async throws -> Void

  /// Names an endpoint; nothing is sent yet.
  ///
  /// A text that is no token, such as a vault key, is refused, so that it is never sent.
  ///
  /// - Throws: ``TokenError`` if the token does not read.
  public convenience init(
    _ address: EndpointAddress, token: String?, configuration: HTTPConfiguration = .init()
  ) throws(TokenError) {
    let client = HTTPClient(configuration)
    try self.init(
      address, token: token, policy: configuration.retryPolicy,
      post: { request throws(HTTPFailure) in try await client.post(request) },
      pause: { try await Task.sleep(for: $0) })
  }

  package init(
    _ address: EndpointAddress, token: String?, policy: RetryPolicy, post: @escaping Post,
    pause: @escaping @Sendable (Duration) async throws -> Void
  ) throws(TokenError) {
    self.address = address
    self.policy = policy
    self.post = post
    self.pause = pause
    do throws(KeyText.Failure) {
      // Written anew, without the white space that a file may have around it.
      self.token = try token.map { text throws(KeyText.Failure) in
        KeyText.encode(try KeyText.decode(text, as: .token), as: .token)
      }
    } catch {
      throw TokenError(description: error.description)
    }
  }

  private func send(_ request: HTTPRequest) async -> Result<HTTPResponse, HTTPFailure> {
    do throws(HTTPFailure) {
      return .success(try await post(request))
    } catch {
      return .failure(error)
    }
  }

  private static func outcome(
    _ result: Result<HTTPResponse, HTTPFailure>
  ) -> RetrySession.Outcome {
    switch result {
    case .success(let response):
      switch response.status {
      case 429, 502, 503, 504: .busy(retryAfter: response.retryAfter)
      default: .final
      }
    case .failure(.cannotConnect): .unreachable
    case .failure(.timedOut), .failure(.connectionLost): .lost
    case .failure: .final
    }
  }
}

/// A text that should be an access token and is not.
public struct TokenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong with it; never the text itself.
  public let description: String
}

extension HTTPEndpoint: EndpointTransport {
  package func call(
    _ route: EndpointRoute, vault: VaultID, body: [UInt8]
  ) async throws(TransportFailure) -> EndpointResponse {
    guard vault == address.vault else {
      throw TransportFailure("\(address) serves another vault")
    }
    var headers = [HTTPRequest.Header("Content-Type", EndpointRoute.mediaType)]
    headers.append(.init("Accept", EndpointRoute.mediaType))
    if let token { headers.append(.init("Authorization", "Bearer \(token)")) }
    let request = HTTPRequest(url: address.url(route), headers: headers, body: body)
    var session = RetrySession(policy)
    while true {
      let result = await send(request)
      let action = session.receive(Self.outcome(result), chance: .random(in: 0...1))
      if case .retry(let pause) = action {
        do { try await self.pause(pause) } catch { throw TransportFailure("cancelled") }
        continue
      }
      switch result {
      case .success(let response):
        return EndpointResponse(
          status: response.status, mediaType: response.contentType, body: response.body,
          retryAfter: response.retryAfter)
      case .failure(let failure):
        throw TransportFailure("\(address.base): \(failure)", isForeign: failure.isForeign)
      }
    }
  }
}

extension HTTPFailure {
  /// Whether something answered that is no endpoint, rather than nothing.
  fileprivate var isForeign: Bool {
    switch self {
    case .notHTTP, .answerTooLarge: true
    default: false
    }
  }
}

extension Peer {
  /// A vault at an endpoint, reached over HTTP.
  ///
  /// - Throws: ``TokenError`` if the token does not read.
  public static func endpoint(
    _ address: EndpointAddress, token: String?, configuration: HTTPConfiguration = .init()
  ) throws(TokenError) -> Peer {
    let endpoint = try HTTPEndpoint(address, token: token, configuration: configuration)
    return .endpoint(endpoint, address: address.description, vault: address.vault)
  }
}
