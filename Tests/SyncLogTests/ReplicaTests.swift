import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

@Suite struct ReplicaTests {
  private let fixture = SyncFixture()

  @Test func `documents travel over an endpoint, and nothing is sent twice`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    for number in 0..<300 { a.store("things").write(id(number), [UInt8(number & 255)]) }
    let first = try await fixture.sync(a)
    #expect(first.sent == 300 && first.received == 0 && first.verified)
    let second = try await fixture.sync(b)
    #expect(second.received == 300 && second.applied == 300 && second.sent == 0)
    #expect(second.verified)
    #expect(b.store("things").states == a.store("things").states)
    let third = try await fixture.sync(a)
    #expect(third.sent == 0 && third.received == 0 && third.verified)
  }

  @Test func `what was pulled is not pushed back later`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    for number in 0..<300 { a.store("things").write(id(number), [UInt8(number & 255)]) }
    try await fixture.sync(a)
    let pulled = try await Replica(database: b).pull(from: fixture.peer)
    #expect(pulled.received == 300)
    b.store("things").write(id(7), [1, 2])
    let later = try await fixture.sync(b)
    #expect(later.sent == 1 && later.same == 0 && later.verified)
  }

  @Test func `where nothing changed, one small request says so`() async throws {
    let a = fixture.database("A")
    for number in 0..<2000 { a.store("things").write(id(number), [1]) }
    let b = fixture.database("B")
    try await fixture.sync(a)
    try await fixture.sync(b)
    for database in [a, b] {
      try await fixture.sync(database)
      let report = try await fixture.sync(database)
      #expect(report.requests == 1 && report.bytes <= 1024)
    }
    for _ in 0..<70 { try await fixture.sync(a) }
    let report = try await fixture.sync(a)
    #expect(report.requests == 1 && report.bytes <= 1024)
  }

  @Test func `edits of both sides merge, and an edit survives a deletion`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    for number in 0..<3 { a.store("things").write(id(number), [0]) }
    try await fixture.sync(a)
    try await fixture.sync(b)
    a.store("things").write(id(0), [10], now: 2000)
    a.store("things").write(id(1), [11], now: 3000)
    b.store("things").write(id(1), [21], now: 2000)
    a.store("things").delete(id(2))
    b.store("things").write(id(2), [22])
    try await fixture.sync(a)
    let report = try await fixture.sync(b)
    #expect(report.conflicts == 1)
    try await fixture.sync(a)
    let states = a.store("things").states
    #expect(states == b.store("things").states)
    #expect(
      states.mapValues { $0.entries.map(\.body) } == [
        id(0): [[10]], id(1): [[11], [21]], id(2): [[22]],
      ])
    b.store("things").resolve(id(1), [31])
    try await fixture.sync(b)
    try await fixture.sync(a)
    #expect(a.store("things").states[id(1)]?.entries.map(\.body) == [[31]])
    #expect(fixture.heads("things").count == 4)
  }

  @Test func `directories exchange without an endpoint, and know what they know`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    for number in 0..<50 { a.store("things").write(id(number), [1]) }
    for number in 50..<60 { b.store("others").write(id(number), [2]) }
    let replica = Replica(database: a)
    let first = try await replica.sync(with: .directory(b))
    #expect(first.sent == 50 && first.received == 10 && first.applied == 10 && first.verified)
    #expect(a.store("others").states == b.store("others").states)
    #expect(a.store("things").states == b.store("things").states)
    for direction in [(a, b), (b, a)] {
      let report = try await Replica(database: direction.0).sync(with: .directory(direction.1))
      #expect(report.sent == 0 && report.received == 0 && report.verified)
    }
    b.store("things").write(id(3), [9])
    let third = try await replica.sync(with: .directory(b))
    #expect(third.sent == 0 && third.received == 1)
  }

  @Test func `one direction changes one side`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    a.store("things").write(id(1), [1])
    b.store("things").write(id(2), [2])
    let replica = Replica(database: a)
    let pushed = try await replica.push(to: .directory(b))
    #expect(pushed.sent == 1 && a.store("things").documents.count == 1)
    #expect(b.store("things").documents.count == 2)
    let pulled = try await replica.pull(from: .directory(b))
    #expect(pulled.received == 1 && a.store("things").documents.count == 2)

    let c = fixture.database("C")
    c.store("things").write(id(3), [3])
    try await fixture.sync(a)
    let received = try await Replica(database: c).pull(from: fixture.peer)
    #expect(received.applied == 2 && received.sent == 0 && fixture.heads("things").count == 3)
    let sent = try await Replica(database: c).push(to: fixture.peer)
    #expect(sent.sent == 1 && sent.received == 0 && fixture.heads("things").count == 4)
  }

  @Test func `a dry run says what would move, and moves nothing`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    for number in 0..<5 { a.store("things").write(id(number), [1]) }
    for number in 3..<10 { b.store("things").write(id(number), [2]) }
    let dry = SyncOptions(isDryRun: true)
    for peer in [fixture.peer, .directory(b)] {
      let images = [a.disk.callCount, b.disk.callCount]
      let report = try await Replica(database: a).sync(with: peer, options: dry)
      #expect([a.disk.callCount, b.disk.callCount] == images)
      #expect(a.store("things").documents.count == 5 && fixture.heads("things").isEmpty)
      switch peer.isDirectory {
      case true: #expect(report.received == 7 && report.applied == 7 && report.sent == 5)
      case false: #expect(report.received == 0 && report.sent == 5)
      }
    }
    try await fixture.sync(b)
    let report = try await fixture.sync(a, options: dry)
    #expect(report.received == 7 && report.sent == 5)
  }
}

extension Peer {
  /// Whether the other side is a directory.
  fileprivate var isDirectory: Bool { "\(self)".contains("directory") }
}
