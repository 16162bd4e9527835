import NyaruEngine
import NyaruSyncHTTP
import NyaruSyncLog
import NyaruSyncServer
import Synchronization
import TestSupport

/// How much of an endpoint a test goes through: its store, its router, or a real socket.
enum Depth: CaseIterable, Sendable {
  case service
  case router
  case socket
}

/// An endpoint for a test, and a peer that talks to it as one replica would.
struct EndpointFixture: Sendable {
  let vault = VaultID.random()
  let peer: EndpointPeer
  let stop: @Sendable () async throws -> Void

  init(_ depth: Depth, store: any EndpointStore) async throws {
    switch depth {
    case .service:
      peer = EndpointPeer(transport: ServiceTransport(store: store), vault: vault)
      stop = {}
    case .router:
      let directory = try TemporaryDirectory()
      let tokens = try TokenStore(storePath: directory.path)
      let token = try tokens.create(scopes: .all).text
      let router = EndpointRouter(store: store, tokens: tokens, limits: .unhurried)
      let transport = RouterTransport(router: router, token: token)
      peer = EndpointPeer(transport: transport, vault: vault)
      stop = { withExtendedLifetime(directory) {} }
    case .socket:
      let running = try RunningEndpoint(store: store, limits: .unhurried)
      peer = EndpointPeer(transport: try running.endpoint(vault), vault: vault)
      stop = { try await running.server.stop() }
    }
  }
}

extension EndpointLimits {
  /// Limits that a test which is about something else does not meet.
  static var unhurried: EndpointLimits {
    var limits = EndpointLimits()
    limits.requestsPerSecond = 1_000_000
    limits.requestBurst = 1_000_000
    return limits
  }
}

/// A server on a free port of the loopback interface, with a token for everything.
struct RunningEndpoint: Sendable {
  let server: EndpointServer
  let tokens: TokenStore
  let token: String
  let log: RequestLog
  private let directory: TemporaryDirectory

  init(
    store: any EndpointStore, limits: EndpointLimits = EndpointLimits(),
    clock: ServerClock = .system
  ) throws {
    let log = RequestLog()
    directory = try TemporaryDirectory()
    tokens = try TokenStore(storePath: directory.path)
    token = try tokens.create(scopes: .all).text
    var configuration = EndpointConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 0))
    configuration.limits = limits
    configuration.log = { log.append($0) }
    server = try EndpointServer(configuration, store: store, tokens: tokens, clock: clock)
    self.log = log
  }

  func endpoint(_ vault: VaultID, token: String? = nil) throws -> HTTPEndpoint {
    let address = try EndpointAddress("http://127.0.0.1:\(server.port)/\(vault)")
    return try HTTPEndpoint(address, token: token ?? self.token)
  }

  /// A request whose parts the test chooses.
  func post(_ path: String, _ headers: [HTTPRequest.Header], _ body: [UInt8]) async throws
    -> HTTPResponse
  {
    let url = "http://127.0.0.1:\(server.port)\(path)"
    return try await HTTPClient().post(HTTPRequest(url: url, headers: headers, body: body))
  }
}

/// Collects what an endpoint logs.
final class RequestLog: Sendable {
  private let state = Mutex([RequestLogEntry]())

  var entries: [RequestLogEntry] { state.withLock { $0 } }

  func append(_ entry: RequestLogEntry) { state.withLock { $0.append(entry) } }
}

/// Calls a store through its codec only.
struct ServiceTransport: EndpointTransport {
  let service: EndpointService

  init(store: any EndpointStore) { service = EndpointService(store: store) }

  func call(
    _ route: EndpointRoute, vault: VaultID, body: [UInt8]
  ) async throws(TransportFailure) -> EndpointResponse {
    await service.respond(to: route, vault: vault, body: body, mayCreate: true)
  }
}

/// Calls a router as the daemon would, without a socket.
private struct RouterTransport: EndpointTransport {
  let router: EndpointRouter
  let token: String

  func call(
    _ route: EndpointRoute, vault: VaultID, body: [UInt8]
  ) async throws(TransportFailure) -> EndpointResponse {
    let head = RequestHead.post(route.path(for: vault), token: token, size: body.count)
    let answer = await router.answer(head, body: body)
    return EndpointResponse(
      status: answer.status, mediaType: answer.contentType, body: answer.body,
      retryAfter: answer.retryAfter)
  }
}

extension RequestHead {
  /// The head of a well-formed call.
  static func post(_ path: String, token: String, size: Int) -> RequestHead {
    RequestHead(
      method: "POST", path: path,
      headers: [
        ("host", "test"), ("content-type", EndpointRoute.mediaType),
        ("content-length", String(size)), ("authorization", "Bearer \(token)"),
      ], size: 200)
  }
}

extension EndpointRouter {
  /// The answer to a whole request.
  func answer(_ head: RequestHead, body: [UInt8]) async -> ServerAnswer {
    switch decide(head).decision {
    case .answer(let answer, _): answer
    case .read(_, let respond): await respond(body)
    }
  }
}
