import FoundationEssentials
import NyaruSyncLog
import Testing

/// The model of the sync rules, over the code that ships.
///
/// `NYARU_HISTORIES` sets how many histories each case runs.
@Suite struct MergeModelTests {
  private static let histories =
    ProcessInfo.processInfo.environment["NYARU_HISTORIES"].flatMap { UInt64($0) } ?? 25

  @Test(arguments: ModelCase.all)
  func `all replicas end equal, and no write is lost`(modelCase: ModelCase) async throws {
    for seed in 0..<Self.histories {
      let verdict = try await ModelWorld(modelCase, seed: seed).run()
      #expect(!verdict.isBad, "\(modelCase.name), seed \(seed): \(verdict)")
    }
  }

  @Test(arguments: [
    (BrokenRule.ticket, "directories copied, one endpoint, ticket only"),
    (.forgetting, "records forgotten"),
  ])
  func `a rule that is left out is missed`(broken: BrokenRule, name: String) async throws {
    let modelCase = try #require(ModelCase.named(name))
    var isMissed = false
    for seed in 0..<200 where !isMissed {
      isMissed = try await ModelWorld(modelCase, seed: UInt64(seed), broken: broken).run().isBad
    }
    #expect(isMissed)
  }
}
