import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

@Suite struct MergeTests {
  /// A record's states at several replicas after random writes, deletions and merges.
  ///
  /// Some replicas share an identity, as copies do, so that dots fork.
  private static func states(_ seed: UInt64) -> [RecordState] {
    var random = SeededGenerator(seed: seed)
    let authors: [UInt64] = [1, 2, 3, 3]
    var states = [RecordState](repeating: .unwritten, count: authors.count)
    var sequences = [UInt64](repeating: 0, count: authors.count)
    var all: [RecordState] = []
    for _ in 0..<30 {
      let index = Int.random(in: states.indices, using: &random)
      sequences[index] += 1
      let dot = Dot(replica: ReplicaID(number: authors[index]), sequence: sequences[index])
      let tag = UInt64.random(in: 0 ... .max, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        states[index] = states[index].writing(
          [UInt8(truncatingIfNeeded: tag)], format: .messagePack, dot: dot, tag: tag,
          now: .random(in: 0..<20, using: &random))
      case 4..<6: states[index] = states[index].deleting(dot: dot, includingConflicts: false)
      case 6:
        states[index] = states[index].resolving(
          [7], format: .json, dot: dot, tag: tag, now: 3)
      default:
        let other = Int.random(in: states.indices, using: &random)
        states[index] = Merge.merge(states[index], states[other]).state
      }
      all.append(states[index])
    }
    return all
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `merging is commutative, associative and idempotent`(seed: UInt64) {
    let states = Self.states(seed)
    for left in states {
      #expect(Merge.merge(left, left) == .init(state: left, isFork: false))
      for right in states {
        let merged = Merge.merge(left, right)
        #expect(merged == Merge.merge(right, left))
        #expect(Merge.merge(merged.state, left).state == merged.state)
        for third in states.prefix(10) {
          let one = Merge.merge(merged.state, third).state
          #expect(one == Merge.merge(left, Merge.merge(right, third).state).state)
        }
      }
    }
  }

  private func entry(_ replica: UInt64, _ sequence: UInt64, tag: UInt64 = 1) -> StandingEntry {
    StandingEntry(
      dot: Dot(replica: ReplicaID(number: replica), sequence: sequence), tag: tag, time: 5,
      format: .messagePack, body: [UInt8(tag)])
  }

  private func dot(_ replica: UInt64, _ sequence: UInt64) -> Dot {
    Dot(replica: ReplicaID(number: replica), sequence: sequence)
  }

  @Test func `an edit survives a deletion that did not see it`() {
    let base = RecordState(entry(1, 1))
    let edited = base.writing([9], format: .messagePack, dot: dot(1, 2), tag: 8, now: 0)
    let deleted = base.deleting(dot: dot(2, 1), includingConflicts: true)
    #expect(Merge.merge(edited, deleted).state.entries.map(\.tag) == [8])
    let late = edited.deleting(dot: dot(2, 1), includingConflicts: true)
    #expect(Merge.merge(edited, late).state.isDeleted)
  }

  @Test func `two versions under one dot both stand, and the merger signs`() {
    let left = RecordState(entry(1, 1, tag: 10))
    let right = RecordState(entry(1, 1, tag: 20))
    let merged = Merge.merge(left, right)
    #expect(merged.isFork && merged.state.entries.map(\.tag) == [20, 10])

    let rule = MergeRule(replica: ReplicaID(number: 9), sentThrough: 0, source: 3)
    guard case .write(let state, let source) = rule.change(left, right, dot(9, 4)) else {
      Issue.record("the fork was not taken")
      return
    }
    #expect(state.vector.covers(dot(9, 4)) && state.entries.count == 2 && source == 0)
  }

  @Test func `a state that comes unchanged is marked with its source`() {
    let rule = MergeRule(replica: ReplicaID(number: 9), sentThrough: 0, source: 3)
    let base = RecordState(entry(1, 1))
    let newer = base.writing([9], format: .json, dot: dot(1, 2), tag: 8, now: 0)
    for (current, incoming) in [(nil, base), (base, newer)] {
      guard case .write(let state, let source) = rule.change(current, incoming, dot(9, 1)) else {
        Issue.record("not taken")
        continue
      }
      #expect(state == incoming && source == 3)
    }
    guard case .keep = rule.change(newer, base, dot(9, 1)) else {
      Issue.record("an old state changed something")
      return
    }
  }

  @Test func `a peer that knows more of this replica than it does stops the merge`() {
    let rule = MergeRule(replica: ReplicaID(number: 1), sentThrough: 5, source: 1)
    let cases: [(RecordState?, UInt64, Bool)] = [
      (nil, 1, true), (RecordState(entry(1, 3)), 3, false), (RecordState(entry(1, 3)), 4, true),
      (RecordState(entry(1, 6)), 6, true),
    ]
    for (current, sequence, stops) in cases {
      let change = rule.change(current, RecordState(entry(1, sequence)), dot(1, 99))
      if case .stop = change { #expect(stops) } else { #expect(!stops) }
    }
  }

  @Test func `more versions than the limit are refused, and nothing is dropped`() {
    let rule = MergeRule(replica: ReplicaID(number: 1), sentThrough: 0, source: 1)
    let entries = (2..<66).map { entry(UInt64($0), 1, tag: UInt64($0)) }
    let full = RecordState(vector: VersionVector(entries.map(\.dot)), entries: entries)
    guard case .refuse = rule.change(full, RecordState(entry(99, 1)), dot(1, 1)) else {
      Issue.record("the limit does not hold")
      return
    }
  }
}
