import NyaruEngine
import TestSupport
import Testing

/// The promises of the store under random lives and random crashes, one seed each.
///
/// The argument of a test that fails is the seed. A quarter of the ``CrashBudget`` is spent here.
@Suite struct RandomCrashTests {
  private static let pointsPerSeed = 500
  static let seeds = 0..<UInt64(max(1, CrashBudget.pointCount / 4 / pointsPerSeed))

  @Test(arguments: seeds)
  func `synced is safe, a crash is a point in time, and damage stays where it hits`(
    seed: UInt64
  ) throws {
    var life = RandomStoreLife(seed: seed)
    try life.run(pointLimit: Self.pointsPerSeed)
  }
}
