import NyaruEngine
import NyaruSyncLog
import NyaruSyncServer
import TestSupport
import Testing

@Suite struct ConvergenceTests {
  private static let faults = SimulatedNetwork.Faults(
    lostRequests: 0.05, lostAnswers: 0.1, repeatedRequests: 0.1, cutRequests: 0.05,
    cutAnswers: 0.05)

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `three replicas converge over a bad network`(seed: UInt64) async throws {
    let world = try await ConvergenceWorld(
      seed: seed, endpoint: MemoryEndpoint(), faults: Self.faults)
    try await world.run(steps: 120)
    #expect(world.problems.isEmpty, "seed \(seed)")
  }

  @Test(arguments: 100..<110 as Range<UInt64>)
  func `three replicas converge over the endpoint that is served`(seed: UInt64) async throws {
    let database = try NyaruDB(directory: SimulatedDisk().root)
    let endpoint = try await EmbeddedEndpointStore.open(database)
    let world = try await ConvergenceWorld(seed: seed, endpoint: endpoint, faults: Self.faults)
    try await world.run(steps: 120)
    #expect(world.problems.isEmpty, "seed \(seed)")
  }

  @Test(arguments: 200..<210 as Range<UInt64>)
  func `small pages change nothing`(seed: UInt64) async throws {
    let limits = SessionAnswer.Limits(pageCount: 3, pageSize: 600, bodySize: 4000)
    let world = try await ConvergenceWorld(
      seed: seed, endpoint: MemoryEndpoint(limits: limits), faults: Self.faults)
    try await world.run(steps: 120)
    #expect(world.problems.isEmpty, "seed \(seed)")
  }
}
