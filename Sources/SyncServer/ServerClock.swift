internal import FoundationEssentials

/// Where the endpoint takes the time from; tests bring their own.
package struct ServerClock: Sendable {
  /// Time that only grows, from any start: for limits and time-outs.
  package var elapsed: @Sendable () -> Duration

  /// Milliseconds since 1970: for expiry dates and what clients are told.
  package var milliseconds: @Sendable () -> UInt64

  package init(
    elapsed: @escaping @Sendable () -> Duration, milliseconds: @escaping @Sendable () -> UInt64
  ) {
    self.elapsed = elapsed
    self.milliseconds = milliseconds
  }

  /// The clocks of the machine.
  package static let system: ServerClock = {
    let start = ContinuousClock.now
    return ServerClock(
      elapsed: { ContinuousClock.now - start },
      milliseconds: { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) })
  }()
}
