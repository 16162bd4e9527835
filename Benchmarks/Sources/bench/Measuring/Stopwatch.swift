import Glibc

/// Adds up the wall and processor time of the parts that are measured.
struct Stopwatch {
  private(set) var seconds = 0.0
  private(set) var processorSeconds = 0.0

  mutating func time<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    let start = Self.now(CLOCK_MONOTONIC)
    let processorStart = Self.now(CLOCK_PROCESS_CPUTIME_ID)
    let result = try await body()
    seconds += Self.now(CLOCK_MONOTONIC) - start
    processorSeconds += Self.now(CLOCK_PROCESS_CPUTIME_ID) - processorStart
    return result
  }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
