import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

@Suite struct EndpointLogicTests {
  private func header(_ dots: [(UInt64, UInt64)], stateTag: UInt64 = 1) -> EnvelopeHeader {
    EnvelopeHeader(
      isDeletion: false, record: .none, stateTag: stateTag,
      vector: VersionVector(dots.map { States.dot($0.0, $0.1) }))
  }

  @Test func `a state that has seen a head replaces it`() {
    let heads = [header([(1, 1)]), header([(2, 1)])]
    #expect(
      EndpointLogic.decide(header([(1, 1), (2, 1)]), heads: heads) == .store(dropping: [0, 1]))
    #expect(EndpointLogic.decide(header([(1, 2)]), heads: heads) == .store(dropping: [0]))
    #expect(EndpointLogic.decide(header([(3, 1)]), heads: heads) == .store(dropping: []))
  }

  @Test func `a repeated push changes nothing`() {
    let heads = [header([(1, 2)]), header([(2, 1)])]
    #expect(EndpointLogic.decide(header([(2, 1)]), heads: heads) == .same)
    #expect(EndpointLogic.decide(header([(1, 1)]), heads: heads) == .covered(by: 0))
  }

  @Test func `two states of one vector both stay`() {
    let heads = [header([(1, 1)], stateTag: 1)]
    #expect(
      EndpointLogic.decide(header([(1, 1)], stateTag: 2), heads: heads) == .store(dropping: []))
  }

  @Test func `no record has more heads than the limit`() {
    let heads = (1...64).map { header([(UInt64($0), 1)]) }
    #expect(EndpointLogic.decide(header([(99, 1)]), heads: heads) == .tooManyHeads)
    #expect(EndpointLogic.decide(header([(5, 2)]), heads: heads) == .store(dropping: [4]))
  }

  /// However pushes of some states are ordered and repeated, the same heads stand at the end.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `the order of pushes does not matter`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let states = (0..<6).map { _ in
      header(
        (1...3).map { ($0, UInt64.random(in: 0...3, using: &random)) }.filter { $0.1 > 0 }
          + [(9, 1)])
    }
    func heads(_ pushes: [EnvelopeHeader]) -> Set<[Dot]> {
      var heads: [EnvelopeHeader] = []
      for push in pushes {
        guard case .store(let dropped) = EndpointLogic.decide(push, heads: heads) else { continue }
        for index in dropped.reversed() { heads.remove(at: index) }
        heads.append(push)
      }
      return Set(heads.map(\.vector.dots))
    }
    let expected = heads(states)
    for _ in 0..<10 {
      #expect(heads((states + states).shuffled(using: &random)) == expected)
    }
  }

  @Test func `a ticket is accepted iff the newest one is known`() {
    let tickets = (0..<3).map { _ in Ticket.random() }
    let new = Ticket.random()
    func decide(_ known: [Ticket], _ remembered: [Ticket]) -> EndpointLogic.TicketDecision {
      EndpointLogic.decide(new, known: known.map(\.high), remembered: remembered)
    }
    #expect(decide([], []) == .accepted([new]))
    #expect(
      decide([tickets[1]], [tickets[0], tickets[1]]) == .accepted([tickets[0], tickets[1], new]))
    #expect(decide([tickets[0]], [tickets[0], tickets[1]]) == .refused(common: tickets[0].high))
    #expect(decide([tickets[2]], [tickets[0], tickets[1]]) == .refused(common: nil))
    // The same request again: its ticket is the newest one.
    #expect(decide([], [tickets[0], new]) == .accepted([tickets[0], new]))
  }

  @Test func `the sum of heads does not depend on the way there`() {
    var random = SeededGenerator(seed: 5)
    let headers = (0..<50).map { _ in
      EnvelopeHeader(
        isDeletion: .random(using: &random), record: .random(),
        stateTag: .random(in: 0 ... .max, using: &random),
        vector: VersionVector(States.dot(1, 1)))
    }
    var sum = DigestSum()
    for header in headers { sum.insert(header) }
    var other = DigestSum()
    for header in headers.shuffled(using: &random) { other.insert(header) }
    #expect(sum == other && sum.count == headers.count { !$0.isDeletion })
    for header in headers { other.remove(header) }
    #expect(other == DigestSum())
  }
}
