import NyaruEngine
import NyaruSyncLog
import NyaruSyncServer
import Synchronization
import TestSupport
import Testing

/// A clock that stands still until the test moves it.
final class ManualClock: Sendable {
  private let time = Mutex(Duration.seconds(1000))

  var clock: ServerClock {
    ServerClock(
      elapsed: { self.time.withLock { $0 } },
      milliseconds: { UInt64(self.time.withLock { $0 } / .milliseconds(1)) })
  }

  func advance(_ duration: Duration) { time.withLock { $0 += duration } }
}

@Suite struct EndpointRouterTests {
  private let directory: TemporaryDirectory
  private let tokens: TokenStore
  private let token: String
  private let time = ManualClock()
  private let router: EndpointRouter
  private let vault = VaultID.random()

  init() throws {
    directory = try TemporaryDirectory()
    tokens = try TokenStore(storePath: directory.path)
    token = try tokens.create(scopes: .all).text
    router = EndpointRouter(store: MemoryEndpoint(), tokens: tokens, clock: time.clock)
  }

  private var asking: [UInt8] {
    SessionRequest(
      replica: ReplicaID.random(), ticket: .random(), isOnlyAsking: true, claims: []
    ).encoded()
  }

  private func head(_ change: (inout RequestHead) -> Void = { _ in }) -> RequestHead {
    var head = RequestHead.post("/v1/\(vault)/session", token: token, size: asking.count)
    change(&head)
    return head
  }

  private func code(_ head: RequestHead) async -> EndpointFailure.Code? {
    let answer = await router.answer(head, body: asking)
    if answer.status == 200 { return nil }
    #expect(answer.contentType == "application/problem+json")
    let failure = EndpointFailure(decoding: answer.body, retryAfter: answer.retryAfter)
    #expect(failure?.code.status == answer.status)
    return failure?.code
  }

  @Test func `a good request is answered`() async {
    let answer = await router.answer(head(), body: asking)
    #expect(answer.status == 200)
    #expect(answer.contentType == "application/vnd.nyaru.sync")
    #expect(throws: Never.self) { try SessionAnswer(decoding: answer.body) }
  }

  @Test(arguments: [
    "/", "", "/v1", "/v1/x/session", "/v2/$/session", "/v1/$/session/", "//v1/$/session",
    "/v1/$/Session", "/v1/$/drop", "/v1/$/session/x", "/v1/$", "/healthz/",
  ])
  func `a path that is none of the protocol is not found`(path: String) async {
    let path = path.replacing("$", with: vault.description)
    #expect(await code(head { $0.path = path }) == .unknownRoute)
  }

  @Test func `a vault has one spelling`() async {
    let capital = VaultID(high: .max, low: .max).description.uppercased()
    #expect(await code(head { $0.path = "/v1/\(capital)/session" }) == .unknownRoute)
  }

  @Test(arguments: ["GET", "PUT", "DELETE", "OPTIONS", "post"])
  func `only POST is allowed`(method: String) async {
    #expect(await code(head { $0.method = method }) == .methodNotAllowed)
  }

  @Test(
    arguments: [
      nil, "", "Bearer", "Bearer ", "Bearer x", "Basic eDp5", "Bearer  $", "$", "Bearer $ ",
    ] as [String?])
  func `without a token that reads there is no access`(value: String?) async {
    let value = value?.replacing("$", with: token)
    let request = head { head in
      head.headers.removeAll { $0.name == "authorization" }
      if let value { head.headers.append(("authorization", value)) }
    }
    #expect(await code(request) == .unauthorized)
  }

  @Test func `the scheme's case does not count`() async {
    let request = head { head in
      head.headers.removeAll { $0.name == "authorization" }
      head.headers.append(("authorization", "bEARER \(token)"))
    }
    #expect(await code(request) == nil)
  }

  @Test(arguments: ["authorization", "content-length", "content-type", "host"])
  func `a header that stands there twice is refused`(name: String) async throws {
    let value = try #require(head().value(name))
    #expect(await code(head { $0.headers.append((name, value)) }) == .malformed)
  }

  @Test(
    arguments: [
      ("content-length", nil, .lengthRequired), ("content-length", "", .malformed),
      ("content-length", "-1", .malformed), ("content-length", "+1", .malformed),
      ("content-length", "0x10", .malformed), ("content-length", "16777217", .tooLarge),
      ("content-length", "99999999999999999999", .malformed),
      ("content-length", "9999999999999999999", .tooLarge),
      ("content-type", nil, .unsupportedMediaType),
      ("content-type", "text/plain", .unsupportedMediaType),
      ("content-type", "application/vnd.nyaru.sync; charset=utf-8", .unsupportedMediaType),
      ("transfer-encoding", "chunked", .lengthRequired),
      ("content-encoding", "gzip", .unsupportedMediaType),
    ] as [(String, String?, EndpointFailure.Code)])
  func `a body must be announced as it has to be`(
    name: String, value: String?, expected: EndpointFailure.Code
  ) async {
    let request = head { head in
      head.headers.removeAll { $0.name == name }
      if let value { head.headers.append((name, value)) }
    }
    #expect(await code(request) == expected)
    guard case .answer = router.decide(request).decision else {
      Issue.record("the body would be read")
      return
    }
  }

  @Test func `a header beyond the limit is refused`() async {
    #expect(await code(head { $0.size = 16 << 10 }) == nil)
    #expect(await code(head { $0.size = 16 << 10 + 1 }) == .malformed)
  }

  @Test func `scopes say what a token may do`() async throws {
    let pull = try tokens.create(scopes: .pull).text
    let push = try tokens.create(scopes: .push).text
    let expected: [(String, EndpointRoute, EndpointFailure.Code?)] = [
      (pull, .session, nil), (pull, .pull, .malformed), (pull, .fetch, .malformed),
      (pull, .push, .forbidden), (push, .session, nil), (push, .push, .malformed),
      (push, .pull, .forbidden), (push, .fetch, .forbidden),
    ]
    for (token, route, code) in expected {
      let body = route == .session ? asking : []
      let head = RequestHead.post(route.path(for: vault), token: token, size: body.count)
      let answer = await router.answer(head, body: body)
      #expect(EndpointFailure(decoding: answer.body, retryAfter: nil)?.code == code, "\(route)")
    }
  }

  @Test func `a token that may not push creates nothing`() async throws {
    let pull = try tokens.create(scopes: .pull).text
    let claim = SessionRequest.Claim(collection: .random())
    let body = SessionRequest(replica: .random(), ticket: .random(), claims: [claim]).encoded()
    let head = RequestHead.post("/v1/\(vault)/session", token: pull, size: body.count)
    let answer = await router.answer(head, body: body)
    #expect(try SessionAnswer(decoding: answer.body).collections.allSatisfy { $0.epoch == .none })
  }

  @Test func `a token can be bound to a vault`() async throws {
    let other = VaultID.random()
    let bound = try tokens.create(scopes: .all, vault: vault.description).text
    let allowed = RequestHead.post("/v1/\(vault)/session", token: bound, size: asking.count)
    let refused = RequestHead.post("/v1/\(other)/session", token: bound, size: asking.count)
    #expect(await code(allowed) == nil)
    #expect(await code(refused) == .forbidden)
  }

  @Test func `a token expires by the clock`() async throws {
    let now = time.clock.milliseconds()
    let short = try tokens.create(scopes: .all, expires: now + 5000).text
    let request = RequestHead.post("/v1/\(vault)/session", token: short, size: asking.count)
    #expect(await code(request) == nil)
    time.advance(.seconds(5))
    #expect(await code(request) == .unauthorized)
  }

  @Test func `a token has a burst and a rate`() async throws {
    for _ in 0..<100 { #expect(await code(head()) == nil) }
    let answer = await router.answer(head(), body: asking)
    #expect(answer.status == 429)
    #expect(answer.retryAfter == 1)
    let other = try tokens.create(scopes: .all).text
    let request = RequestHead.post("/v1/\(vault)/session", token: other, size: asking.count)
    #expect(await code(request) == nil)
    time.advance(.seconds(1))
    for _ in 0..<50 { #expect(await code(head()) == nil) }
    #expect(await code(head()) == .tooManyRequests)
  }

  @Test func `who guesses tokens has to wait, and only he`() async {
    let guess = head { head in
      head.headers.removeAll { $0.name == "authorization" }
      head.address = "192.0.2.1"
    }
    for _ in 0..<10 { #expect(await code(guess) == .unauthorized) }
    #expect(await code(guess) == .tooManyRequests)
    #expect(await code(head { $0.address = "192.0.2.1" }) == .tooManyRequests)
    #expect(await code(head { $0.address = "192.0.2.2" }) == nil)
    time.advance(.seconds(6))
    #expect(await code(guess) == .unauthorized)
  }

  @Test func `tokens that do not read refuse everybody`() async throws {
    let file = try DiskDirectory.open(path: directory.path, createIfMissing: false)
    try file.replaceFile("tokens", with: [1, 2, 3])
    #expect(await code(head()) == .unavailable)
  }

  @Test func `a router that drains refuses with patience`() async {
    #expect(router.decide(health).decision.answer?.status == 200)
    router.beginDrain()
    let answer = await router.answer(head(), body: asking)
    #expect(answer.status == 503)
    #expect(answer.retryAfter == 2)
    #expect(answer.closesConnection)
    #expect(router.decide(health).decision.answer?.status == 503)
  }

  private var health: RequestHead { RequestHead(method: "GET", path: "/healthz") }

  @Test func `labels name the route and the token, and nothing else`() throws {
    let entry = try #require(try tokens.list().first)
    #expect(router.decide(head()).label == RequestLabel(route: "session", tokenID: entry.id))
    #expect(router.decide(health).label == RequestLabel(route: "healthz"))
    let unknown = head { $0.path = "/secret/path" }
    #expect(router.decide(unknown).label == RequestLabel(route: "unknown"))
  }

  @Test(arguments: [(0, 0), (1000, 1000), (1 << 20, 1 << 20), (1 << 20 + 1, 0)])
  func `a small body of a refused request is read away`(size: Int, discarded: Int) {
    let request = RequestHead.post("/v1/\(vault)/session", token: "x", size: size)
    guard case .answer(_, let count) = router.decide(request).decision else {
      Issue.record("not refused")
      return
    }
    #expect(count == discarded)
  }
}

extension HeadDecision {
  /// The answer that is given at once.
  var answer: ServerAnswer? {
    if case .answer(let answer, _) = self { answer } else { nil }
  }
}
