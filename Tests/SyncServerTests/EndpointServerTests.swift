import NyaruEngine
import NyaruSyncHTTP
import NyaruSyncLog
import NyaruSyncServer
import TestSupport
import Testing

@Suite struct EndpointServerTests {
  private let vault = VaultID.random()

  private var asking: SessionRequest {
    SessionRequest(replica: .random(), ticket: .random(), isOnlyAsking: true, claims: [])
  }

  private func peer(_ running: RunningEndpoint, token: String? = nil) throws -> EndpointPeer {
    EndpointPeer(transport: try running.endpoint(vault, token: token), vault: vault)
  }

  @Test func `a session goes over a socket, and the log says so`() async throws {
    let running = try RunningEndpoint(store: MemoryEndpoint())
    let answer = try await peer(running).session(asking)
    #expect(answer.collections.isEmpty)
    try await running.server.stop()
    let entry = try #require(running.log.entries.first)
    #expect(entry.route == "session" && entry.status == 200 && entry.method == "POST")
    #expect(entry.tokenID == (try running.tokens.list().first?.id))
  }

  @Test func `a wrong token is named by its code`() async throws {
    let running = try RunningEndpoint(store: MemoryEndpoint())
    let other = try TokenStore(storePath: TemporaryDirectory().path).create(scopes: .all).text
    await #expect { try await peer(running, token: other).session(asking) } throws: { error in
      guard case .endpoint(let failure) = error as? PeerFailure else { return false }
      return failure.code == .unauthorized
    }
    try await running.server.stop()
  }

  @Test func `a revoked token is refused on a connection that is open`() async throws {
    let running = try RunningEndpoint(store: MemoryEndpoint())
    let peer = try peer(running)
    _ = try await peer.session(asking)
    let id = try #require(try running.tokens.list().first?.id)
    #expect(try running.tokens.revoke(id: id))
    await #expect(throws: PeerFailure.self) { try await peer.session(asking) }
    try await running.server.stop()
  }

  @Test func `health needs no token, and nothing else is told`() async throws {
    let running = try RunningEndpoint(store: MemoryEndpoint())
    // The client only posts, so this is the wrong method; that it is answered shows the route.
    #expect(try await running.post("/healthz", [], []).status == 405)
    #expect(try await running.post("/", [], []).status == 404)
    #expect(try await running.post("/v1/\(vault)/session", [], []).status == 401)
    try await running.server.stop()
  }

  @Test func `a body that is too large is refused before it is sent`() async throws {
    var limits = EndpointLimits()
    limits.bodySizeLimit = 2 << 20
    let running = try RunningEndpoint(store: MemoryEndpoint(), limits: limits)
    let headers = [
      HTTPRequest.Header("Authorization", "Bearer \(running.token)"),
      HTTPRequest.Header("Content-Type", EndpointRoute.mediaType),
    ]
    let body = [UInt8](repeating: 0, count: 3 << 20)
    let response = try await running.post("/v1/\(vault)/push", headers, body)
    #expect(response.status == 413)
    #expect(response.contentType == EndpointRoute.problemMediaType)
    try await running.server.stop()
    #expect(running.log.entries.map(\.receivedSize) == [0])
  }

  @Test func `a garbled body is malformed and changes nothing`() async throws {
    let running = try RunningEndpoint(store: MemoryEndpoint())
    let headers = [
      HTTPRequest.Header("Authorization", "Bearer \(running.token)"),
      HTTPRequest.Header("Content-Type", EndpointRoute.mediaType),
    ]
    let good = asking.encoded()
    for cut in [0, 1, 4, good.count / 2, good.count - 1] {
      let body = Array(good.prefix(cut))
      let response = try await running.post("/v1/\(vault)/session", headers, body)
      #expect(response.status == 400)
    }
    try await running.server.stop()
  }

  @Test func `plain HTTP beyond this machine has to be allowed`() throws {
    let directory = try TemporaryDirectory()
    let tokens = try TokenStore(storePath: directory.path)
    var configuration = EndpointConfiguration(listen: ListenAddress(host: "0.0.0.0", port: 0))
    #expect(throws: EndpointServerError.insecure(configuration.listen)) {
      try EndpointServer(configuration, store: MemoryEndpoint(), tokens: tokens)
    }
    configuration.certificateFile = directory.path("none")
    #expect(throws: EndpointServerError.self) {
      try EndpointServer(configuration, store: MemoryEndpoint(), tokens: tokens)
    }
  }

  @Test func `a port that is taken is named`() async throws {
    let running = try RunningEndpoint(store: MemoryEndpoint())
    let address = ListenAddress(host: "127.0.0.1", port: running.server.port)
    let tokens = running.tokens
    #expect {
      try EndpointServer(
        EndpointConfiguration(listen: address), store: MemoryEndpoint(), tokens: tokens)
    } throws: { error in
      (error as? EndpointServerError)?.description.contains(address.description) == true
    }
    try await running.server.stop()
  }

  @Test func `stopping twice is harmless`() async throws {
    let running = try RunningEndpoint(store: MemoryEndpoint())
    try await running.server.stop()
    try await running.server.stop()
  }
}
