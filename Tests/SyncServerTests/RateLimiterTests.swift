import NyaruSyncServer
import TestSupport
import Testing

@Suite struct RateLimiterTests {
  @Test func `a burst passes, and then the rate counts`() {
    var limiter = RateLimiter<String>(eventsPerSecond: 2, burst: 3)
    for _ in 0..<3 { #expect(limiter.take("a", at: .zero) == nil) }
    #expect(limiter.take("a", at: .zero) == .milliseconds(500))
    #expect(limiter.take("a", at: .milliseconds(500)) == nil)
    #expect(limiter.take("a", at: .milliseconds(500)) == .milliseconds(500))
  }

  @Test func `one key does not pay for another`() {
    var limiter = RateLimiter<String>(eventsPerSecond: 1, burst: 1)
    #expect(limiter.take("a", at: .zero) == nil)
    #expect(limiter.take("a", at: .zero) != nil)
    #expect(limiter.take("b", at: .zero) == nil)
  }

  @Test func `asking takes nothing`() {
    var limiter = RateLimiter<String>(eventsPerSecond: 1, burst: 1)
    for _ in 0..<5 { #expect(limiter.wait(for: "a", at: .zero) == nil) }
    #expect(limiter.take("a", at: .zero) == nil)
    #expect(limiter.wait(for: "a", at: .zero) == .seconds(1))
  }

  @Test func `a clock that goes back gives nothing away`() {
    var limiter = RateLimiter<String>(eventsPerSecond: 1, burst: 1)
    #expect(limiter.take("a", at: .seconds(10)) == nil)
    #expect(limiter.take("a", at: .zero) == .seconds(1))
    #expect(limiter.take("a", at: .seconds(11)) == nil)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `no schedule gets more than burst and rate`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var limiter = RateLimiter<Int>(eventsPerSecond: 10, burst: 5)
    var now = Duration.zero
    var taken = 0
    for _ in 0..<2000 {
      now += .milliseconds(Int.random(in: 0...50, using: &generator))
      if limiter.take(0, at: now) == nil { taken += 1 }
      #expect(Double(taken) <= 5 + 10 * (now / .seconds(1)) + 0.001)
    }
    #expect(Double(taken) >= 10 * (now / .seconds(1)) - 1)
  }

  @Test func `the number of remembered keys has a limit`() {
    var limiter = RateLimiter<Int>(eventsPerSecond: 0.001, burst: 2)
    #expect(limiter.take(-1, at: .zero) == nil)
    #expect(limiter.take(-1, at: .zero) == nil)
    for key in 0..<20_000 { _ = limiter.take(key, at: .zero) }
    #expect(limiter.count <= RateLimiter<Int>.keyLimit)
    #expect(limiter.take(-1, at: .zero) != nil, "an exhausted key is not forgotten for a full one")
  }
}
