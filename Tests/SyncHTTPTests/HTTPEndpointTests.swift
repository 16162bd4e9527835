import NyaruEngine
import NyaruSyncHTTP
import NyaruSyncLog
import NyaruSyncServer
import Synchronization
import TestSupport
import Testing

@Suite struct HTTPEndpointTests {
  private let vault = VaultID.random()
  private let token: String

  init() {
    token = KeyText.encode(.random(), as: .token)
  }

  /// Outcomes that come one after the other, what was asked for, and how long was waited.
  private final class Script: Sendable {
    private struct State {
      var results: [Result<HTTPResponse, HTTPFailure>]
      var requests: [HTTPRequest] = []
      var pauses: [Duration] = []
    }

    private let state: Mutex<State>

    init(_ results: [Result<HTTPResponse, HTTPFailure>]) { state = Mutex(State(results: results)) }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var pauses: [Duration] { state.withLock { $0.pauses } }

    func post(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
      let result = state.withLock { state in
        state.requests.append(request)
        return state.results.isEmpty ? .failure(.cancelled) : state.results.removeFirst()
      }
      return try result.get()
    }

    func pause(_ duration: Duration) { state.withLock { $0.pauses.append(duration) } }
  }

  private func endpoint(_ script: Script, token: String? = nil) throws -> HTTPEndpoint {
    try HTTPEndpoint(
      try EndpointAddress("https://example.org/x/\(vault)"), token: token ?? self.token,
      policy: RetryPolicy(),
      post: { request throws(HTTPFailure) in try script.post(request) },
      pause: { script.pause($0) })
  }

  private func call(
    _ results: [Result<HTTPResponse, HTTPFailure>]
  ) async throws -> (response: EndpointResponse, script: Script) {
    let script = Script(results)
    let response = try await endpoint(script).call(.pull, vault: vault, body: [1, 2])
    return (response, script)
  }

  private let good = HTTPResponse(
    status: 200, contentType: "application/vnd.nyaru.sync", body: [7])

  @Test func `a call names its route, its type and its token`() async throws {
    let (response, script) = try await call([.success(good)])
    #expect(response.status == 200 && response.body == [7])
    let request = try #require(script.requests.first)
    #expect(request.url == "https://example.org/x/v1/\(vault)/pull")
    #expect(request.body == [1, 2])
    let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
    #expect(headers["Content-Type"] == "application/vnd.nyaru.sync")
    #expect(headers["Authorization"] == "Bearer \(token)")
  }

  @Test func `white space around a token is not sent`() async throws {
    let script = Script([.success(good)])
    _ = try await endpoint(script, token: "\n \(token)\r\n").call(.pull, vault: vault, body: [])
    let header = script.requests.first?.headers.first { $0.name == "Authorization" }
    #expect(header?.value == "Bearer \(token)")
  }

  @Test func `what is no token is never sent, a vault key least of all`() {
    for text in ["", "secret", KeyText.encode(.random(), as: .vault), token + "x"] {
      #expect(throws: TokenError.self) { try endpoint(Script([]), token: text) }
    }
    let key = KeyText.encode(.random(), as: .vault)
    #expect { try endpoint(Script([]), token: key) } throws: { !"\($0)".contains(key) }
  }

  @Test(arguments: [429, 502, 503, 504])
  func `an endpoint that is busy is asked again`(status: Int) async throws {
    let busy = HTTPResponse(status: status, retryAfter: 3)
    let (response, script) = try await call([.success(busy), .success(busy), .success(good)])
    #expect(response.status == 200)
    #expect(script.pauses.count == 2 && script.pauses.allSatisfy { $0 >= .seconds(3) })
  }

  @Test(arguments: [400, 401, 403, 404, 409, 413, 422, 500, 302])
  func `an answer that patience does not change comes at once`(status: Int) async throws {
    let (response, script) = try await call([.success(HTTPResponse(status: status))])
    #expect(response.status == status)
    #expect(script.pauses.isEmpty)
  }

  @Test func `a lost answer is asked for again with the same bytes`() async throws {
    let (response, script) = try await call([
      .failure(.connectionLost("reset")), .failure(.timedOut("slow")), .success(good),
    ])
    #expect(response.status == 200)
    #expect(Set(script.requests.map(\.body)).count == 1)
  }

  @Test(arguments: [
    HTTPFailure.cannotConnect("refused"), .tls("untrusted"), .notHTTP("?"), .cancelled,
    .answerTooLarge(limit: 1), .invalidRequest("x"),
  ])
  func `a failure that patience does not change comes at once`(failure: HTTPFailure) async throws {
    let script = Script([.failure(failure)])
    await #expect(throws: TransportFailure.self) {
      try await endpoint(script).call(.pull, vault: vault, body: [])
    }
    #expect(script.requests.count == 1)
  }

  @Test func `the last refusal is the answer when patience ends`() async throws {
    let busy = HTTPResponse(status: 503)
    let (response, script) = try await call(Array(repeating: .success(busy), count: 9))
    #expect(response.status == 503)
    #expect(script.requests.count == 5)
  }

  @Test func `another vault is not asked for`() async throws {
    let script = Script([.success(good)])
    await #expect(throws: TransportFailure.self) {
      try await endpoint(script).call(.pull, vault: .random(), body: [])
    }
    #expect(script.requests.isEmpty)
  }

  @Test(arguments: [
    (HTTPFailure.notHTTP("SSH"), true), (.answerTooLarge(limit: 1), true),
    (.cannotConnect("refused"), false), (.tls("untrusted"), false),
  ])
  func `who speaks another language is no endpoint, and who is silent may be`(
    failure: HTTPFailure, isForeign: Bool
  ) async throws {
    let script = Script([.failure(failure)])
    let peer = EndpointPeer(transport: try endpoint(script), vault: vault)
    let request = FetchRequest(collection: .random(), records: [])
    await #expect { try await peer.fetch(request) } throws: { error in
      switch error as? PeerFailure {
      case .notAnEndpoint: isForeign
      case .network: !isForeign
      default: false
      }
    }
  }

  @Test(arguments: [
    HTTPResponse(status: 200, contentType: "text/html", body: Array("<html>".utf8)),
    HTTPResponse(status: 404, contentType: "text/html"), HTTPResponse(status: 302),
    HTTPResponse(status: 200, contentType: "application/vnd.nyaru.sync", body: [1, 2, 3]),
    HTTPResponse(status: 200, contentType: "application/vnd.nyaru.sync"),
  ])
  func `what is no endpoint is named so`(response: HTTPResponse) async throws {
    let script = Script([.success(response)])
    let peer = EndpointPeer(transport: try endpoint(script), vault: vault)
    let request = SessionRequest(
      replica: .random(), ticket: .random(), isOnlyAsking: true, claims: [])
    await #expect { try await peer.session(request) } throws: { error in
      if case .notAnEndpoint = error as? PeerFailure { true } else { false }
    }
  }
}
