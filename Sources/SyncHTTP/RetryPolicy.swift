/// When a request that failed is sent again, and after how long.
///
/// Every call of the protocol may be repeated, so a lost answer is as good a reason as a refusal
/// that asks for patience.
public struct RetryPolicy: Sendable, Equatable {
  /// How often one request is sent at most.
  public var attemptLimit = 5

  /// The pause before the second attempt; each further one is twice as long.
  public var pauseMinimum: Duration = .milliseconds(250)

  /// The longest pause that doubling leads to.
  public var pauseMaximum: Duration = .seconds(15)

  /// The longest pause that an endpoint may ask for; a request to wait longer is an error.
  public var retryAfterMaximum: Duration = .seconds(120)

  /// The defaults: five attempts within about half a minute.
  public init() {}
}

/// The attempts of one request, as a state machine: an outcome in, what to do out.
///
/// It reads no clock and sleeps not; whoever drives it does.
package struct RetrySession: Sendable {
  /// How an attempt ended.
  package enum Outcome: Equatable, Sendable {
    /// There is an answer, or an error that no patience helps against.
    case final

    /// Nothing was sent, since there was no connection.
    case unreachable

    /// The connection broke or was silent.
    case lost

    /// The endpoint asks to come back, perhaps after the time given in seconds.
    case busy(retryAfter: Int?)
  }

  /// What the driver does next.
  package enum Action: Equatable, Sendable {
    case finish
    case retry(after: Duration)
  }

  private let policy: RetryPolicy
  private var attempts = 0
  private var wasReached = false

  package init(_ policy: RetryPolicy) { self.policy = policy }

  /// Decides after an attempt. `chance` in 0…1 spreads the pauses of many clients.
  package mutating func receive(_ outcome: Outcome, chance: Double) -> Action {
    attempts += 1
    switch outcome {
    case .final: return .finish
    case .unreachable where !wasReached: return .finish  // A wrong address shows at once.
    case .unreachable: return retry(atLeast: .zero, chance)
    case .lost:
      wasReached = true
      return retry(atLeast: .zero, chance)
    case .busy(let seconds):
      wasReached = true
      return retry(atLeast: .seconds(min(seconds ?? 0, 1 << 30)), chance)
    }
  }

  private func retry(atLeast asked: Duration, _ chance: Double) -> Action {
    guard attempts < policy.attemptLimit, asked <= policy.retryAfterMaximum else { return .finish }
    var pause = policy.pauseMinimum
    for _ in 1..<min(attempts, 32) where pause < policy.pauseMaximum { pause = pause * 2 }
    pause = min(pause, policy.pauseMaximum)
    let spread = 0.5 + 0.5 * min(max(chance, 0), 1)
    return .retry(after: max(asked, .zero) + pause * spread)
  }
}
