internal import Glibc

/// The machine's clock, as it is set.
package enum SystemClock {
  /// Milliseconds since 1970.
  package static func now() -> UInt64 {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0, time.tv_sec >= 0 else { return 0 }
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}
