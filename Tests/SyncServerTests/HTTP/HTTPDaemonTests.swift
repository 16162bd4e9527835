import NyaruSyncHTTP
import NyaruSyncServer
import Synchronization
import Testing

/// A handler whose answers the test writes.
private final class ScriptedHandler: RequestHandler {
  let decision: @Sendable (RequestHead) -> HeadDecision
  private let entries = Mutex([RequestLogEntry]())

  init(_ decision: @escaping @Sendable (RequestHead) -> HeadDecision) { self.decision = decision }

  var log: [RequestLogEntry] { entries.withLock { $0 } }

  func decide(_ head: RequestHead) -> (label: RequestLabel, decision: HeadDecision) {
    (RequestLabel(route: "test", tokenID: "t"), decision(head))
  }

  func stoppingAnswer() -> ServerAnswer { .text(503, "stopping") }

  func note(_ entry: RequestLogEntry) { entries.withLock { $0.append(entry) } }
}

extension ServerAnswer {
  fileprivate static func text(_ status: Int, _ text: String) -> ServerAnswer {
    ServerAnswer(status: status, contentType: "text/plain", body: Array(text.utf8))
  }
}

extension HeadDecision {
  /// Reads the announced body and gives it back.
  fileprivate static func echo(_ head: RequestHead) -> HeadDecision {
    .read(size: head.value("content-length").flatMap { Int($0) } ?? 0) { body in
      ServerAnswer(status: 200, contentType: "text/plain", body: body)
    }
  }
}

@Suite struct HTTPDaemonTests {
  /// A daemon on a free port, its context, and a way to post to it.
  private struct Running {
    let handler: ScriptedHandler
    let context: DaemonContext
    let daemon: HTTPDaemon
    let client = HTTPClient()

    init(
      limits: EndpointLimits = EndpointLimits(),
      _ decision: @escaping @Sendable (RequestHead) -> HeadDecision
    ) throws {
      handler = ScriptedHandler(decision)
      context = DaemonContext(handler: handler, limits: limits, clock: .system)
      let socket = try ListenSocket.open(ListenAddress(host: "127.0.0.1", port: 0))
      daemon = try #require(HTTPDaemon(socket: socket, identity: nil, context: context))
    }

    /// Stops once every request is logged.
    func stop() async {
      await context.waitUntilIdle()
      await daemon.stop()
    }

    func post(_ body: [UInt8], path: String = "/x") async throws -> HTTPResponse {
      try await client.post(HTTPRequest(url: "http://127.0.0.1:\(daemon.port)\(path)", body: body))
    }
  }

  @Test func `a head is given with its lines, sizes and address`() async throws {
    let seen = Mutex<RequestHead?>(nil)
    let running = try Running { head in
      seen.withLock { $0 = head }
      return .echo(head)
    }
    _ = try await running.post([1, 2], path: "/a/b?c=d")
    await running.daemon.stop()
    let head = try #require(seen.withLock { $0 })
    #expect(head.method == "POST")
    #expect(head.path == "/a/b")
    #expect(head.value("content-length") == "2")
    #expect(head.address == "127.0.0.1")
    #expect(head.size > 20)
  }

  @Test(arguments: [0, 1, 1000, 65_536, 3 << 20])
  func `a body comes back as it was sent`(size: Int) async throws {
    let running = try Running { .echo($0) }
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let response = try await running.post(body)
    #expect(response.status == 200)
    #expect(response.body == body)
    await running.stop()
    let entry = try #require(running.handler.log.first)
    #expect(entry.status == 200 && entry.receivedSize == size && entry.sentSize == size)
    #expect(entry.route == "test" && entry.tokenID == "t" && entry.method == "POST")
  }

  @Test func `an answer at once needs no body`() async throws {
    let running = try Running { _ in .answer(.text(413, "too large"), discarding: 0) }
    let response = try await running.post([])
    #expect(response.status == 413)
    #expect(response.body == Array("too large".utf8))
    await running.daemon.stop()
  }

  @Test func `a refused body is thrown away, and the connection goes on`() async throws {
    let running = try Running { head in
      head.path == "/no" ? .answer(.text(401, "no"), discarding: 1 << 20) : .echo(head)
    }
    for _ in 0..<3 {
      let body = [UInt8](repeating: 7, count: 1 << 20)
      #expect(try await running.post(body, path: "/no").status == 401)
      #expect(try await running.post([1], path: "/yes").status == 200)
    }
    await running.stop()
    #expect(running.handler.log.map(\.sentSize) == [2, 1, 2, 1, 2, 1])
  }

  @Test func `a large body that is refused at once is not sent`() async throws {
    let running = try Running { _ in .answer(.text(413, "no"), discarding: 0) }
    let response = try await running.post([UInt8](repeating: 7, count: 20 << 20))
    #expect(response.status == 413)
    await running.stop()
    #expect(running.handler.log.map(\.receivedSize) == [0])
  }

  @Test func `many requests at once get their own answers`() async throws {
    let running = try Running { .echo($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          let body = Array("request \(index)".utf8)
          let response = try await running.post(body)
          #expect(response.body == body)
        }
      }
      try await group.waitForAll()
    }
    await running.stop()
    #expect(running.handler.log.count == 200)
  }

  @Test func `requests in the works are waited for`() async throws {
    let gate = Gate()
    let running = try Running { head in
      .read(size: 1) { _ in
        await gate.wait()
        return .text(200, "done")
      }
    }
    async let response = running.post([1])
    await gate.waitForArrival()
    running.daemon.quiesce()
    async let idle: Void = running.context.waitUntilIdle()
    gate.open()
    #expect(try await response.status == 200)
    await idle
    await running.stop()
    #expect(running.handler.log.map(\.status) == [200])
  }

  @Test func `a daemon that stops answers what is in the works`() async throws {
    let gate = Gate()
    let running = try Running { head in
      .read(size: 1) { _ in
        await gate.wait()
        return .text(200, "too late")
      }
    }
    async let response = running.post([1])
    await gate.waitForArrival()
    running.context.abandonWork()
    #expect(try await response.status == 503)
    await running.context.waitUntilIdle()
    await running.daemon.stop()
    gate.open()
  }

  @Test func `a stopped daemon cannot be connected`() async throws {
    let running = try Running { .echo($0) }
    #expect(try await running.post([1]).status == 200)
    await running.daemon.stop()
    await running.daemon.stop()
    let request = HTTPRequest(url: "http://127.0.0.1:\(running.daemon.port)/", body: [])
    await #expect(throws: HTTPFailure.self) { try await HTTPClient().post(request) }
  }

  @Test func `a client that breaks off leaves nothing behind`() async throws {
    let gate = Gate()
    let running = try Running { head in
      .read(size: 1) { _ in
        await gate.wait()
        return .text(200, "nobody reads this")
      }
    }
    let task = Task { try await running.post([1]) }
    await gate.waitForArrival()
    task.cancel()
    await #expect(throws: HTTPFailure.cancelled) { try await task.value }
    gate.open()
    await running.context.waitUntilIdle()
    await running.stop()
    #expect(running.handler.log.count == 1)
  }

  @Test func `a port that is taken is an error`() throws {
    let first = try ListenSocket.open(ListenAddress(host: "127.0.0.1", port: 0))
    #expect(throws: ListenSocket.Failure.self) {
      try ListenSocket.open(ListenAddress(host: "127.0.0.1", port: first.port))
    }
  }

  @Test(arguments: [("127.0.0.1", true), ("::1", true), ("0.0.0.0", false), ("::", false)])
  func `a socket knows whether only this machine reaches it`(
    host: String, isLoopback: Bool
  ) throws {
    let socket = try ListenSocket.open(ListenAddress(host: host, port: 0))
    #expect(socket.isLoopback == isLoopback)
    #expect(socket.port != 0)
  }
}

/// Holds tasks until the test lets them go.
private final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var hasArrival = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watching: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func wait() async {
    await withCheckedContinuation { continuation in
      let (isOpen, watching) = state.withLock { state in
        state.hasArrival = true
        if !state.isOpen { state.waiting.append(continuation) }
        defer { state.watching = [] }
        return (state.isOpen, state.watching)
      }
      for watcher in watching { watcher.resume() }
      if isOpen { continuation.resume() }
    }
  }

  func waitForArrival() async {
    await withCheckedContinuation { continuation in
      let hasArrival = state.withLock { state in
        if !state.hasArrival { state.watching.append(continuation) }
        return state.hasArrival
      }
      if hasArrival { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }
}
