/// Token buckets by key: so many events per second in the long run, so many at once.
///
/// It reads no clock: the caller says what time it is.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
  private struct Bucket {
    var level: Double
    var time: Duration
  }

  /// Keys that are remembered; the fuller are forgotten first, which only helps their owners.
  package static var keyLimit: Int { 4096 }

  private let rate: Double
  private let burst: Double
  private var buckets: [Key: Bucket] = [:]

  package init(eventsPerSecond: Double, burst: Double) {
    rate = eventsPerSecond
    self.burst = burst
  }

  /// Keys that are remembered now.
  package var count: Int { buckets.count }

  /// Takes one event, or says how long it must wait.
  package mutating func take(_ key: Key, at now: Duration) -> Duration? {
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
  package func wait(for key: Key, at now: Duration) -> Duration? {
    guard let bucket = buckets[key] else { return nil }
    let level = level(of: bucket, at: now)
    return level >= 1 ? nil : .seconds((1 - level) / rate)
  }

  private func level(of bucket: Bucket, at now: Duration) -> Double {
    let passed = max(.zero, now - bucket.time)
    return min(burst, bucket.level + (passed / .seconds(1)) * rate)
  }

  private mutating func store(_ bucket: Bucket, for key: Key) {
    if buckets.count >= Self.keyLimit, buckets[key] == nil { forgetFuller(at: bucket.time) }
    buckets[key] = bucket
  }

  /// Drops the fuller half, so that the cost is paid once in many keys.
  private mutating func forgetFuller(at now: Duration) {
    let byLevel = buckets.map { (key: $0.key, level: level(of: $0.value, at: now)) }
      .sorted { $0.level > $1.level }
    for entry in byLevel.prefix((byLevel.count + 1) / 2) { buckets[entry.key] = nil }
  }
}
