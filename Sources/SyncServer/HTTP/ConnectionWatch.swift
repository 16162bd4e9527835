/// How long a connection may take for what it is doing, as a state machine without a clock.
///
/// A time-out on silence alone lets a client hold a connection with a byte now and then. So each
/// phase has a deadline of its own: fixed for a head, in proportion to its size for a body or an
/// answer, and none while the endpoint itself is at work.
package struct ConnectionWatch: Sendable {
  package private(set) var deadline: Duration?
  private let limits: EndpointLimits

  /// The connection was accepted.
  package init(limits: EndpointLimits, at now: Duration) {
    self.limits = limits
    deadline = now + limits.headerTimeout
  }

  /// The head is complete, and a body of this size follows.
  package mutating func beginBody(size: Int, at now: Duration) { deadline = now + transfer(size) }

  /// The request is complete; the client waits for us.
  package mutating func beginWork() { deadline = nil }

  /// An answer of this size is on its way.
  package mutating func beginAnswer(size: Int, at now: Duration) { deadline = now + transfer(size) }

  /// The answer is sent; another head may follow.
  package mutating func beginIdle(at now: Duration) {
    deadline = now + limits.idleTimeout + limits.headerTimeout
  }

  package func isOverdue(at now: Duration) -> Bool {
    guard let deadline else { return false }
    return now > deadline
  }

  private func transfer(_ size: Int) -> Duration {
    limits.idleTimeout + .seconds(size / max(1, limits.lowSpeedLimit))
  }
}
