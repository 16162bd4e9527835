import FoundationEssentials
import NyaruEngine
import TestSupport
import Testing

/// The promises of the store under random lives and random crashes, one seed each.
///
/// The argument of a test that fails is the seed. `NYARU_CRASH_POINTS` is the number of crashes.
@Suite struct RandomCrashTests {
  private static let pointsPerSeed = 500
  private static let pointCount =
    Int(ProcessInfo.processInfo.environment["NYARU_CRASH_POINTS"] ?? "") ?? 12_000
  static let seeds = 0..<UInt64(max(1, pointCount / pointsPerSeed))

  @Test(arguments: seeds)
  func `synced is safe, a crash is a point in time, and damage stays where it hits`(
    seed: UInt64
  ) throws {
    var life = RandomStoreLife(seed: seed)
    try life.run(pointLimit: Self.pointsPerSeed)
  }
}
