import Foundation
import NyaruEngine
import TestSupport
import Testing

/// Calls of many tasks on one id look as if they came one after the other.
///
/// `NYARU_LINEARIZABLE` is the number of histories. The seed of one decides what each task does;
/// how they meet is up to the machine, so what failed is printed whole.
@Suite(.timeLimit(.minutes(60))) struct LinearizabilityTests {
  private static let histories =
    Int(ProcessInfo.processInfo.environment["NYARU_LINEARIZABLE"] ?? "") ?? 10_000

  @Test(arguments: 0..<4)
  func `eight tasks on sixteen ids`(part: Int) async throws {
    let directory = try TemporaryDirectory()
    let database = try NyaruDB(path: directory.path("db"))
    let items = try await database.collection("items", of: Item.self, options: Item.options)
    let world = RegisterWorld(items)
    var contents: [Int: Int] = [:]
    for number in 0..<Self.histories / 4 {
      let seed = UInt64(part * Self.histories + number)
      let calls = try await world.play(seed: seed)
      let after = try await world.contents()
      for id in RegisterWorld.ids {
        let outcomes = RegisterHistory.outcomes(of: calls[id] ?? [], from: contents[id])
        try #require(
          outcomes.contains(after[id]),
          "seed \(seed), id \(id) from \(contents[id] ?? -1): \(calls[id] ?? [])")
      }
      contents = after
    }
    #expect(try await items.core.check().damaged.isEmpty)
    try await database.close()
  }

  private func call(_ action: RegisterCall.Action, _ invoked: Int, _ returned: Int) -> RegisterCall
  {
    RegisterCall(id: 0, action: action, invoked: invoked, returned: returned)
  }

  @Test func `an order that explains all answers is found`() {
    let calls = [
      call(.insert(1, isNew: true), 1, 10), call(.read(nil), 2, 9), call(.read(1), 3, 8),
      call(.delete(isThere: true), 4, 7), call(.update(2, isThere: false), 5, 6),
      call(.upsert(3), 11, 14), call(.read(3), 12, 13), call(.insert(4, isNew: false), 15, 16),
    ]
    #expect(RegisterHistory.outcomes(of: calls, from: nil) == [3])
    let racing = [call(.upsert(1), 1, 4), call(.upsert(2), 2, 3)]
    #expect(RegisterHistory.outcomes(of: racing, from: nil) == [1, 2])
  }

  @Test func `answers that no order explains are found out`() {
    let stale = [call(.upsert(1), 1, 2), call(.upsert(2), 3, 4), call(.read(1), 5, 6)]
    let twice = [call(.insert(1, isNew: true), 1, 4), call(.insert(2, isNew: true), 2, 3)]
    let backwards = [call(.upsert(1), 1, 6), call(.read(1), 2, 3), call(.read(nil), 4, 5)]
    let lost = [call(.delete(isThere: true), 1, 4), call(.delete(isThere: true), 2, 3)]
    for calls in [stale, twice, backwards] {
      #expect(RegisterHistory.outcomes(of: calls, from: nil).isEmpty)
    }
    #expect(RegisterHistory.outcomes(of: lost, from: 7).isEmpty)
  }
}
