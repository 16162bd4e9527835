import NyaruSyncHTTP
import Testing

@Suite struct RetryPolicyTests {
  private func actions(
    _ outcomes: [RetrySession.Outcome], _ policy: RetryPolicy = RetryPolicy(),
    chance: Double = 1
  ) -> [RetrySession.Action] {
    var session = RetrySession(policy)
    return outcomes.map { session.receive($0, chance: chance) }
  }

  @Test func `an answer is the end`() {
    #expect(actions([.final]) == [.finish])
  }

  @Test func `a wrong address shows at once`() {
    #expect(actions([.unreachable]) == [.finish])
  }

  @Test func `an endpoint that was there before may come back`() {
    let result = actions([.busy(retryAfter: nil), .unreachable])
    #expect(result == [.retry(after: .milliseconds(250)), .retry(after: .milliseconds(500))])
  }

  @Test func `pauses double up to their limit, and attempts end`() {
    var policy = RetryPolicy()
    policy.attemptLimit = 6
    policy.pauseMaximum = .seconds(1)
    let lost = Array(repeating: RetrySession.Outcome.lost, count: 6)
    #expect(
      actions(lost, policy) == [
        .retry(after: .milliseconds(250)), .retry(after: .milliseconds(500)),
        .retry(after: .seconds(1)), .retry(after: .seconds(1)), .retry(after: .seconds(1)),
        .finish,
      ])
  }

  @Test(arguments: [(0.0, 125), (0.5, 187), (1.0, 250), (7.0, 250), (-1.0, 125)])
  func `chance spreads a pause between its half and its whole`(chance: Double, expected: Int) {
    guard case .retry(let pause) = actions([.lost], chance: chance).first else {
      Issue.record("no retry")
      return
    }
    #expect(Int(pause / .milliseconds(1)) == expected)
  }

  @Test func `what the endpoint asks for is the least`() {
    #expect(actions([.busy(retryAfter: 30)]) == [.retry(after: .milliseconds(30_250))])
  }

  @Test(arguments: [121, 86_400, Int.max])
  func `an endpoint cannot ask for more than the limit`(seconds: Int) {
    #expect(actions([.busy(retryAfter: seconds)]) == [.finish])
  }

  @Test func `no number of attempts overflows`() {
    var policy = RetryPolicy()
    policy.attemptLimit = .max
    var session = RetrySession(policy)
    for _ in 0..<200 {
      #expect(session.receive(.lost, chance: 1) != .finish)
    }
  }
}
