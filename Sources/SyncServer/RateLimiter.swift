/// Token buckets by key: so many events per second in the long run, so many at once.
///
/// It reads no clock: the caller says what time it is.
struct RateLimiter<Key: Hashable & Sendable>: Sendable {
  private struct Bucket {
    var level: Double
    var time: Duration
  }

  /// Keys that are remembered; the fullest are forgotten first, which only helps their owners.
  static var keyLimit: Int { 4096 }

  private let rate: Double
  private let burst: Double
  private var buckets: [Key: Bucket] = [:]

  init(eventsPerSecond: Double, burst: Double) {
    rate = eventsPerSecond
    self.burst = burst
  }

  /// Takes one event, or says how long it must wait.
  mutating func take(_ key: Key, at now: Duration) -> Duration? {
    var bucket = buckets[key] ?? Bucket(level: burst, time: now)
    bucket = Bucket(level: level(of: bucket, at: now), time: max(bucket.time, now))
    defer { store(bucket, for: key) }
    guard bucket.level < 1 else {
      bucket.level -= 1
      return nil
    }
    return .seconds((1 - bucket.level) / rate)
  }

  /// How long the next event would have to wait, without taking it.
  func wait(for key: Key, at now: Duration) -> Duration? {
    guard let bucket = buckets[key] else { return nil }
    let level = level(of: bucket, at: now)
    return level >= 1 ? nil : .seconds((1 - level) / rate)
  }

  private func level(of bucket: Bucket, at now: Duration) -> Double {
    let passed = max(.zero, now - bucket.time)
    return min(burst, bucket.level + (passed / .seconds(1)) * rate)
  }

  private mutating func store(_ bucket: Bucket, for key: Key) {
    if buckets.count >= Self.keyLimit, buckets[key] == nil { forgetFullest(at: bucket.time) }
    buckets[key] = bucket
  }

  private mutating func forgetFullest(at now: Duration) {
    let before = buckets.count
    buckets = buckets.filter { level(of: $0.value, at: now) < burst }
    guard buckets.count == before else { return }
    let fullest = buckets.max { level(of: $0.value, at: now) < level(of: $1.value, at: now) }
    if let fullest { buckets[fullest.key] = nil }
  }
}
