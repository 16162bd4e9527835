import NyaruEngine
import Testing

@Suite struct RecordStateTests {
  private func dot(_ replica: UInt64, _ sequence: UInt64) -> Dot {
    Dot(replica: ReplicaID(number: replica), sequence: sequence)
  }

  private func entry(_ replica: UInt64, time: UInt64, body: [UInt8]? = nil) -> StandingEntry {
    StandingEntry(
      dot: dot(replica, 1), tag: replica, time: time, format: .messagePack,
      body: body ?? [UInt8(replica)])
  }

  private func state(_ entries: [StandingEntry]) -> RecordState {
    RecordState(vector: VersionVector(entries.map(\.dot)), entries: entries)
  }

  @Test func `a write replaces the seen version and leaves the conflict`() throws {
    let conflicted = state([entry(1, time: 10), entry(2, time: 20)])
    let written = conflicted.writing(
      [9], format: .json, dot: dot(3, 5), tag: 30, now: 15)
    #expect(written.entries.map(\.tag) == [30, 1])
    #expect(written.seen?.body == [9])
    #expect(written.vector.covers(dot(2, 1)) && written.vector.covers(dot(3, 5)))
  }

  @Test func `a write is newer than what it replaces, also with a wrong clock`() {
    let written = state([entry(1, time: 1000)]).writing(
      [2], format: .messagePack, dot: dot(1, 2), tag: 5, now: 3)
    #expect(written.seen?.time == 1001)
  }

  @Test func `the time never passes the limit`() {
    let written = state([entry(1, time: VersionLimits.time)]).writing(
      [2], format: .messagePack, dot: dot(1, 2), tag: 5, now: .max)
    #expect(written.seen?.time == VersionLimits.time)
  }

  @Test func `a deletion shows the next version`() {
    let conflicted = state([entry(1, time: 10), entry(2, time: 20)])
    let deleted = conflicted.deleting(dot: dot(2, 2), includingConflicts: false)
    #expect(deleted.seen?.tag == 1)
    #expect(!deleted.isDeleted)
    #expect(conflicted.deleting(dot: dot(2, 2), includingConflicts: true).isDeleted)
  }

  @Test func `resolving leaves one version and covers the others`() {
    let conflicted = state([entry(1, time: 10), entry(2, time: 20)])
    let resolved = conflicted.resolving(
      [7], format: .messagePack, dot: dot(3, 1), tag: 9, now: 0)
    #expect(resolved.entries.map(\.tag) == [9])
    #expect(resolved.vector.dots == [dot(1, 1), dot(2, 1), dot(3, 1)])
  }

  @Test func `conflicts of equal content are hidden`() {
    let entries = [
      entry(1, time: 30, body: [1]), entry(2, time: 20, body: [1]), entry(3, time: 10, body: [5]),
      entry(4, time: 5, body: [5]),
    ]
    #expect(state(entries).conflicts.map(\.tag) == [3])
  }

  @Test func `what equals the seen version goes with it`() {
    let twice = state([
      entry(1, time: 30, body: [1]), entry(2, time: 20, body: [1]), entry(3, time: 10, body: [5]),
    ])
    let written = twice.writing([9], format: .json, dot: dot(4, 5), tag: 30, now: 40)
    #expect(written.entries.map(\.tag) == [30, 3])
    let deleted = twice.deleting(dot: dot(4, 5), includingConflicts: false)
    #expect(deleted.entries.map(\.tag) == [3])
  }

  @Test func `the order of entries goes by time, author, sequence, tag`() {
    var forked = entry(1, time: 10)
    forked.tag = 99
    let entries = [entry(1, time: 10), entry(2, time: 10), forked, entry(1, time: 11)]
    #expect(state(entries).entries.map(\.time) == [11, 10, 10, 10])
    #expect(state(entries).entries.dropFirst().map(\.tag) == [2, 99, 1])
  }
}
