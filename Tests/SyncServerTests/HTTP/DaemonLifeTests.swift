import Foundation
import NyaruEngine
import NyaruSyncServer
import Synchronization
import Testing

/// Daemons that come and go while clients knock: the library ends the whole process where its own
/// threads disagree about the listening socket.
@Suite struct DaemonLifeTests {
  /// Answers every head at once, and tells when enough have come.
  private final class Doorman: RequestHandler {
    private struct State {
      var awaited: Int
      var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    init(awaiting count: Int) { state = Mutex(State(awaited: count)) }

    func decide(_ head: RequestHead) -> (label: RequestLabel, decision: HeadDecision) {
      let waiter = state.withLock { state in
        state.awaited -= 1
        guard state.awaited <= 0 else { return nil as CheckedContinuation<Void, Never>? }
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume()
      let answer = ServerAnswer(status: 200, contentType: "text/plain", body: [111, 107])
      return (RequestLabel(route: "test"), .answer(answer, discarding: 0))
    }

    func waitForAll() async {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.awaited > 0 { state.waiter = continuation }
          return state.awaited <= 0
        }
        if isOver { continuation.resume() }
      }
    }

    func stoppingAnswer() -> ServerAnswer {
      ServerAnswer(status: 503, contentType: "text/plain", body: [])
    }

    func note(_ entry: RequestLogEntry) {}
  }

  private static let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

  /// Connects again and again until nobody listens; returns how many answers came.
  private static func knock(_ port: UInt16) async -> Int {
    var answers = 0
    while let connection = try? RawConnection(port: port) {
      connection.send(request)
      if await connection.receive().hasSuffix("ok") { answers += 1 }
    }
    return answers
  }

  /// Starts a daemon, and ends it once some of its clients were served.
  private func live(requests: Int, clients: Int) async throws {
    let doorman = Doorman(awaiting: requests)
    let context = DaemonContext(handler: doorman, limits: EndpointLimits(), clock: .system)
    let socket = try ListenSocket.open(ListenAddress(host: "127.0.0.1", port: 0))
    let daemon = try #require(HTTPDaemon(socket: socket, identity: nil, context: context))
    let answers = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<clients { group.addTask { await Self.knock(daemon.port) } }
      await doorman.waitForAll()
      daemon.quiesce()
      await context.waitUntilIdle()
      await daemon.stop()
      return await group.reduce(0, +)
    }
    // Each client may have lost one answer to the end.
    #expect(answers >= requests - clients)
    #expect(context.connectionCount == 0)
  }

  @Test func `hundreds of daemons end while clients connect, and the process lives`() async throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["NYARU_DAEMONS"].flatMap { Int($0) } ?? 800
    for number in 0..<count { try await live(requests: 2 + number % 7, clients: 4) }
  }

  @Test func `a daemon that nobody called ends`() async throws {
    for _ in 0..<100 { try await live(requests: 0, clients: 0) }
  }

  @Test func `a daemon that does not start closes nothing of its caller's`() throws {
    let socket = try ListenSocket.open(ListenAddress(host: "127.0.0.1", port: 0))
    var before = stat()
    try #require(unsafe fstat(socket.descriptor, &before) == 0)
    let context = DaemonContext(
      handler: Doorman(awaiting: 0), limits: EndpointLimits(), clock: .system)
    let identity = HTTPDaemon.Identity(certificate: "none", key: "none")
    #expect(HTTPDaemon(socket: socket, identity: identity, context: context) == nil)
    var after = stat()
    #expect(unsafe fstat(socket.descriptor, &after) == 0 && after.st_ino == before.st_ino)
  }
}
