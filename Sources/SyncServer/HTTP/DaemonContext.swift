internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// One connection, from accept to close, watched for clients that are too slow.
final class WatchedConnection: Sendable {
  private struct State {
    /// The socket while it is open, and else -1: closed numbers are given out again.
    var descriptor: CInt
    var watch: ConnectionWatch
  }

  private let state: Mutex<State>

  init(descriptor: CInt, watch: ConnectionWatch) {
    state = Mutex(State(descriptor: descriptor, watch: watch))
  }

  func update(_ change: (inout ConnectionWatch) -> Void) {
    state.withLock { change(&$0.watch) }
  }

  /// Called before the descriptor is closed.
  func close() { state.withLock { $0.descriptor = -1 } }

  /// Breaks the connection, whatever it does.
  func breakNow() {
    state.withLock { state in
      if state.descriptor >= 0 { shutdown(state.descriptor, CInt(SHUT_RDWR)) }
    }
  }

  /// Breaks the connection if its time is over; the daemon then notices and closes it.
  func breakIfOverdue(at now: Duration) {
    state.withLock { state in
      guard state.descriptor >= 0, state.watch.isOverdue(at: now) else { return }
      shutdown(state.descriptor, CInt(SHUT_RDWR))
    }
  }
}

/// What the callbacks of the HTTP library share: connections, exchanges, the handler.
///
/// Connections and exchanges are held here, not by the pointers that the library carries, so a
/// pointer is valid as long as its object is registered. Each is registered before the library
/// learns its pointer, and removed in the library's last callback for it.
package final class DaemonContext: Sendable {
  private struct State {
    var connections: [ObjectIdentifier: WatchedConnection] = [:]
    var exchanges: [ObjectIdentifier: Exchange] = [:]
    var working: [ObjectIdentifier: Work] = [:]
    var isStopping = false
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
  }

  /// A suspended connection, its address as a number, and the task that works for it.
  private struct Work {
    var exchange: Exchange
    var connectionAddress: UInt
    var task: Task<Void, Never>?
  }

  let handler: any RequestHandler
  let limits: EndpointLimits
  let clock: ServerClock
  private let state = Mutex(State())

  package init(handler: any RequestHandler, limits: EndpointLimits, clock: ServerClock) {
    self.handler = handler
    self.limits = limits
    self.clock = clock
  }

  // MARK: Connections

  func open(descriptor: CInt) -> WatchedConnection {
    let watch = ConnectionWatch(limits: limits, at: clock.elapsed())
    let connection = WatchedConnection(descriptor: descriptor, watch: watch)
    state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
    return connection
  }

  func close(_ connection: WatchedConnection) {
    connection.close()
    state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
  }

  /// Connections that are open.
  package var connectionCount: Int { state.withLock { $0.connections.count } }

  /// Breaks the connections whose clients are too slow.
  package func sweep() {
    let now = clock.elapsed()
    let connections = state.withLock { Array($0.connections.values) }
    for connection in connections { connection.breakIfOverdue(at: now) }
  }

  /// Breaks every connection.
  func breakConnections() {
    let connections = state.withLock { Array($0.connections.values) }
    for connection in connections { connection.breakNow() }
  }

  // MARK: Exchanges

  func begin(_ head: RequestHead) -> Exchange {
    let (label, decision) = handler.decide(head)
    let id = String(UInt64.random(in: .min ... .max), radix: 16)
    let exchange = Exchange(
      method: head.method, label: label, decision: decision, requestID: id, start: clock.elapsed())
    state.withLock { $0.exchanges[ObjectIdentifier(exchange)] = exchange }
    return exchange
  }

  func end(_ exchange: Exchange, isComplete: Bool) {
    let waiters = state.withLock { state in
      state.exchanges[ObjectIdentifier(exchange)] = nil
      guard state.exchanges.isEmpty else { return [CheckedContinuation<Void, Never>]() }
      defer { state.idleWaiters = [] }
      return state.idleWaiters
    }
    for waiter in waiters { waiter.resume() }
    handler.note(exchange.logEntry(isComplete: isComplete, at: clock.elapsed()))
  }

  /// Starts the work for a connection that the caller has suspended.
  func work(
    _ exchange: Exchange, connectionAddress: UInt, body: [UInt8],
    respond: @escaping @Sendable ([UInt8]) async -> ServerAnswer
  ) {
    let key = ObjectIdentifier(exchange)
    let isStopping = state.withLock { state in
      state.working[key] = Work(exchange: exchange, connectionAddress: connectionAddress)
      return state.isStopping
    }
    if isStopping { return finish(exchange, handler.stoppingAnswer()) }
    let task = Task { [self] in finish(exchange, await respond(body)) }
    state.withLock { $0.working[key]?.task = task }
  }

  /// Resumes the connection with its answer, unless somebody did before.
  private func finish(_ exchange: Exchange, _ answer: ServerAnswer) {
    guard exchange.finish(answer) else { return }
    let work = state.withLock { $0.working.removeValue(forKey: ObjectIdentifier(exchange)) }
    guard let work else { return }
    work.task?.cancel()
    // The library frees a suspended connection only after it was resumed, and it is resumed
    // only here, once.
    unsafe MHD_resume_connection(OpaquePointer(bitPattern: work.connectionAddress))
  }

  // MARK: The end

  /// Returns when no request is in the works.
  package func waitUntilIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if !state.exchanges.isEmpty { state.idleWaiters.append(continuation) }
        return state.exchanges.isEmpty
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Answers what is still in the works, so that no connection stays suspended.
  package func abandonWork() {
    let working = state.withLock { state in
      state.isStopping = true
      return Array(state.working.values)
    }
    for work in working { finish(work.exchange, handler.stoppingAnswer()) }
  }
}
