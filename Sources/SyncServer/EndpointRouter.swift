package import NyaruSyncLog
internal import NyaruEngine
internal import Synchronization

/// Decides about requests to an endpoint: routes, tokens, limits. It knows nothing of sockets.
package final class EndpointRouter: RequestHandler {
  /// Bodies up to this size are read although the request is refused: a client that is cut off
  /// while it sends may never see why.
  private static let discardSizeLimit = 1 << 20

  /// What clients are told to wait while the endpoint stops: long enough for another to start.
  private static let drainSeconds = 2

  private struct Limiters {
    var requests: RateLimiter<String>
    var failures: RateLimiter<String>
  }

  private let service: EndpointService
  private let tokens: TokenStore
  private let limits: EndpointLimits
  private let clock: ServerClock
  private let log: @Sendable (RequestLogEntry) -> Void
  private let limiters: Mutex<Limiters>
  private let isDraining = Atomic(false)

  package init(
    store: any EndpointStore, tokens: TokenStore, limits: EndpointLimits = EndpointLimits(),
    clock: ServerClock = .system, log: @escaping @Sendable (RequestLogEntry) -> Void = { _ in }
  ) {
    service = EndpointService(store: store)
    self.tokens = tokens
    self.limits = limits
    self.clock = clock
    self.log = log
    let failures = limits.failedAuthenticationsPerMinute
    limiters = Mutex(
      Limiters(
        requests: RateLimiter(
          eventsPerSecond: limits.requestsPerSecond, burst: limits.requestBurst),
        failures: RateLimiter(eventsPerSecond: failures / 60, burst: failures)))
  }

  /// From now on every request is refused, and clients are told to come back.
  package func beginDrain() { isDraining.store(true, ordering: .releasing) }

  package func note(_ entry: RequestLogEntry) { log(entry) }

  package func stoppingAnswer() -> ServerAnswer {
    var answer = ServerAnswer(
      EndpointFailure(
        .unavailable, "the endpoint is stopping", retryAfter: Self.drainSeconds))
    answer.closesConnection = true
    return answer
  }

  package func decide(_ head: RequestHead) -> (label: RequestLabel, decision: HeadDecision) {
    if head.path == "/healthz" {
      return (RequestLabel(route: "healthz"), .answer(health(head), discarding: 0))
    }
    guard let (vault, route) = Self.parse(head.path) else {
      let failure = EndpointFailure(.unknownRoute, "the path is none of the protocol")
      return (RequestLabel(route: "unknown"), refuse(head, failure))
    }
    var label = RequestLabel(route: route.rawValue)
    do throws(EndpointFailure) {
      try check(method: head)
      if isDraining.load(ordering: .acquiring) {
        return (label, .answer(stoppingAnswer(), discarding: discardSize(head)))
      }
      let token = try authenticate(head)
      label.tokenID = token.id
      try authorize(token, route, vault)
      let size = try bodySize(head)
      let mayCreate = token.scopes.contains(.push)
      let service = service
      let decision = HeadDecision.read(size: size) { body in
        ServerAnswer(
          await service.respond(to: route, vault: vault, body: body, mayCreate: mayCreate))
      }
      return (label, decision)
    } catch {
      return (label, refuse(head, error))
    }
  }

  // MARK: Steps of a decision

  private static func parse(_ path: String) -> (VaultID, EndpointRoute)? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, let vault = VaultID(hexadecimal: parts[2]),
      let route = EndpointRoute(rawValue: String(parts[3]))
    else { return nil }
    // One call has one path: no capital digits, no doubled slashes.
    return route.path(for: vault) == path ? (vault, route) : nil
  }

  private func health(_ head: RequestHead) -> ServerAnswer {
    guard head.method == "GET" || head.method == "HEAD" else {
      return ServerAnswer(EndpointFailure(.methodNotAllowed, "only GET is allowed here"))
    }
    let isDraining = isDraining.load(ordering: .acquiring)
    var answer = ServerAnswer(
      status: isDraining ? 503 : 200, contentType: "text/plain",
      body: Array((isDraining ? "stopping\n" : "ok\n").utf8))
    answer.closesConnection = isDraining
    return answer
  }

  private func check(method head: RequestHead) throws(EndpointFailure) {
    guard head.size <= limits.headerSizeLimit else {
      throw EndpointFailure(
        .malformed, "the header is larger than \(limits.headerSizeLimit) bytes")
    }
    guard head.method == "POST" else {
      throw EndpointFailure(.methodNotAllowed, "only POST is allowed here")
    }
    for name in ["content-length", "content-type", "authorization", "host"]
    where head.count(name) > 1 {
      throw EndpointFailure(.malformed, "\(name) stands there more than once")
    }
  }

  private func authenticate(_ head: RequestHead) throws(EndpointFailure) -> TokenEntry {
    let now = clock.elapsed()
    let wait = limiters.withLock { $0.failures.wait(for: head.address, at: now) }
    if let wait {
      throw EndpointFailure(
        .tooManyRequests, "too many failed authentications", retryAfter: wait.wholeSeconds)
    }
    let found: TokenEntry?
    do throws(TokenStore.Failure) {
      let text = head.value("authorization").flatMap(Self.bearer)
      found = try text.flatMap { text throws(TokenStore.Failure) in
        try tokens.authenticate(text, at: clock.milliseconds())
      }
    } catch {
      throw EndpointFailure(.unavailable, "the endpoint cannot read its tokens")
    }
    guard let token = found else {
      _ = limiters.withLock { $0.failures.take(head.address, at: now) }
      throw EndpointFailure(.unauthorized, "a bearer token is missing, unknown or expired")
    }
    if let wait = limiters.withLock({ $0.requests.take(token.id, at: now) }) {
      throw EndpointFailure(
        .tooManyRequests, "too many requests with this token", retryAfter: wait.wholeSeconds)
    }
    return token
  }

  private static func bearer(_ header: String) -> String? {
    let parts = header.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }

  private func authorize(
    _ token: TokenEntry, _ route: EndpointRoute, _ vault: VaultID
  ) throws(EndpointFailure) {
    if let bound = token.vault, bound != vault.description {
      throw EndpointFailure(.forbidden, "the token is for another vault")
    }
    let isAllowed =
      switch route {
      case .session: !token.scopes.isEmpty
      case .pull, .fetch: token.scopes.contains(.pull)
      case .push: token.scopes.contains(.push)
      }
    guard isAllowed else {
      throw EndpointFailure(.forbidden, "the token's scopes are \(token.scopes.text)")
    }
  }

  private func bodySize(_ head: RequestHead) throws(EndpointFailure) -> Int {
    guard head.count("transfer-encoding") == 0, let text = head.value("content-length") else {
      throw EndpointFailure(.lengthRequired, "Content-Length is needed")
    }
    guard let size = Self.number(text) else {
      throw EndpointFailure(.malformed, "Content-Length is not a number")
    }
    guard size <= UInt64(limits.bodySizeLimit) else {
      throw EndpointFailure(.tooLarge, "a body has at most \(limits.bodySizeLimit) bytes")
    }
    let type = head.value("content-type")?.lowercased()
    guard type == EndpointRoute.mediaType, head.count("content-encoding") == 0 else {
      throw EndpointFailure(
        .unsupportedMediaType, "a body is \(EndpointRoute.mediaType), without an encoding")
    }
    return Int(size)
  }

  private static func number(_ text: String) -> UInt64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text) : nil
  }

  private func refuse(_ head: RequestHead, _ failure: EndpointFailure) -> HeadDecision {
    .answer(ServerAnswer(failure), discarding: discardSize(head))
  }

  private func discardSize(_ head: RequestHead) -> Int {
    guard head.count("transfer-encoding") == 0, head.method == "POST",
      let size = head.value("content-length").flatMap(Self.number),
      size <= UInt64(Self.discardSizeLimit)
    else { return 0 }
    return Int(size)
  }
}

extension ServerAnswer {
  package init(_ response: EndpointResponse) {
    self.init(
      status: response.status, contentType: response.mediaType, body: response.body,
      retryAfter: response.retryAfter)
  }

  package init(_ failure: EndpointFailure) { self.init(EndpointResponse(failure)) }
}

extension Duration {
  /// Seconds, rounded up, as headers have them; at least 1.
  fileprivate var wholeSeconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(min(seconds, 1 << 30)) + (attoseconds > 0 ? 1 : 0))
  }
}
