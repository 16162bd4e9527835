import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

@Suite struct ReidentificationTests {
  private let fixture = SyncFixture()
  private let old = ReplicaID(number: 1)

  /// Applies steps until none is left, with dots of author 9.
  private func renamed(_ state: RecordState, bound: UInt64) -> RecordState {
    var (state, sequence) = (state, UInt64(100))
    while let next = Reidentification.step(
      state, old: old, bound: bound, dot: States.dot(9, sequence))
    {
      state = next
      sequence += 1
    }
    return state
  }

  @Test func `what may not have been sent is authored again with the same content`() {
    let entries = [
      States.written(1, 20, [1], tag: 11, time: 9).entries[0],
      States.written(1, 5, [2], tag: 12, time: 8).entries[0],
      States.written(1, 30, [3], tag: 13, time: 7).entries[0],
      States.written(2, 4, [4], tag: 14, time: 6).entries[0],
    ]
    let state = RecordState(vector: VersionVector(entries.map(\.dot)), entries: entries)
    let renamed = renamed(state, bound: 10)
    #expect(renamed.entries.map(\.tag) == [11, 12, 13, 14])
    #expect(renamed.entries.map(\.body) == [[1], [2], [3], [4]])
    #expect(renamed.entries.map(\.dot.replica.number) == [9, 1, 9, 2])
    #expect(Set(renamed.entries.map(\.dot)).count == 4)
    #expect(renamed.vector[old] == 10 && renamed.vector[ReplicaID(number: 9)] >= 101)
    for entry in renamed.entries { #expect(renamed.vector.covers(entry.dot)) }
  }

  @Test func `a deletion that may not have been sent stays one`() {
    let state = States.written(2, 4, [4])
      .deleting(dot: States.dot(1, 20), includingConflicts: true)
    let renamed = renamed(state, bound: 10)
    #expect(renamed.isDeleted && renamed.vector[old] == 10)
    #expect(renamed.vector.covers(States.dot(2, 4)))
    #expect(Merge.merge(renamed, States.written(2, 4, [4])).state.isDeleted)
  }

  @Test func `what was sent stays as it is`() {
    #expect(
      Reidentification.step(
        States.written(1, 10, [1]), old: old, bound: 10, dot: States.dot(9, 1)) == nil)
  }

  @Test func `a copy that nobody saw is found by its ticket, and no edit is lost`() async throws {
    let a = fixture.database("A")
    a.store("things").write(id(1), [1])
    try await fixture.sync(a)
    let copy = await a.copy("copy", isFound: false)
    a.store("things").write(id(1), [2])
    a.store("things").write(id(2), [22])
    copy.store("things").write(id(1), [3])
    copy.store("things").write(id(2), [33])
    #expect(try await fixture.sync(a).reidentified == false)
    let author = copy.author
    let report = try await fixture.sync(copy)
    #expect(report.reidentified && copy.author != author)
    try await fixture.sync(a)
    #expect(a.store("things").states == copy.store("things").states)
    for number in [1, 2] {
      #expect(a.store("things").states[id(number)]?.entries.count == 2)
    }
  }

  @Test func `a replica that meets more of itself than it wrote takes a new name`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    a.store("things").write(id(1), [1])
    let backup = await a.copy("backup", isFound: false)
    a.store("things").write(id(2), [2])
    try await fixture.sync(a)
    // The peer knows a write of this author that the backup does not have.
    try await fixture.sync(b)
    let author = backup.author
    _ = try await Replica(database: backup).pull(from: .directory(b))
    #expect(backup.author != author)
    #expect(backup.store("things").documents == [id(1): [1], id(2): [2]])
  }

  @Test func `a write during a sync that comes back is no copy's`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    for database in [a, b] {
      database.store("things").write(id(database === a ? 1 : 2), [1])
      try await fixture.sync(database)
    }
    let author = a.author
    let network = BusyNetwork(
      fixture.network,
      [
        .pull: { a.store("things").write(id(3), [3]) },
        .push: {
          b.store("things").write(id(4), [4])
          _ = try await fixture.sync(b)
        },
      ])
    let peer = Peer.endpoint(network, address: "memory:", vault: fixture.vault)
    let report = try await Replica(database: a).sync(with: peer)
    #expect(report.sent == 1 && report.applied == 2)
    #expect(!report.reidentified && a.author == author)
  }

  @Test(arguments: 0..<30)
  func `a change of identity that is cut off goes on`(calls: Int) async throws {
    let a = fixture.database("A")
    for number in 0..<5 { a.store("things").write(id(number), [1]) }
    try await fixture.sync(a)
    let copy = await a.copy("copy", isFound: false)
    a.store("things").write(id(1), [2])
    try await fixture.sync(a)
    copy.store("things").write(id(1), [3])
    copy.disk.setFault(DiskFault(after: calls, code: 5))
    _ = try? await fixture.sync(copy)
    copy.disk.setFault(nil)
    // What the copy authored again stands beside the originals until both have met.
    for database in [copy, a, copy, a] { try await fixture.sync(database) }
    #expect(a.store("things").states == copy.store("things").states)
    #expect(Set(a.store("things").states[id(1)]?.entries.map(\.body) ?? []) == [[2], [3]])
    let directory = SyncDirectory(copy.syncDirectory)
    #expect(try directory.pendingReidentification() == nil)
  }

  @Test func `a collection that was dropped comes back under a new name`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    for number in 0..<5 { a.store("things").write(id(number), [1]) }
    try await fixture.sync(a)
    try await fixture.sync(b)
    a.drop("things")
    let author = a.author
    try await fixture.sync(a)
    #expect(a.store("things").documents.count == 5 && a.author != author)
    b.store("things").write(id(1), [2])
    try await fixture.sync(b)
    try await fixture.sync(a)
    #expect(a.store("things").states == b.store("things").states)
  }
}
