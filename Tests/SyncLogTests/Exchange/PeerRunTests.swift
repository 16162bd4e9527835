import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

/// What happens between a replica and an endpoint besides the plain exchange.
@Suite struct PeerRunTests {
  private let fixture = SyncFixture()

  @Test func `a group travels in one commit, and arrives whole`() async throws {
    let limits = SessionAnswer.Limits(pageCount: 4, pageSize: 4 << 20)
    let fixture = SyncFixture(limits: limits)
    let a = fixture.database("A")
    a.store("things").write((0..<3).map { (id($0), [1]) })
    a.store("things").write((10..<30).map { (id($0), [2]) }, isGroup: true)
    a.store("things").write((40..<43).map { (id($0), [3]) })
    let sent = try await fixture.sync(a)
    #expect(sent.sent == 26 && sent.verified)
    let b = fixture.database("B")
    try await fixture.sync(b)
    #expect(b.store("things").documents == a.store("things").documents)
    // The whole group again, to a third place and in a directory.
    let c = fixture.database("C")
    let pages = fixture.network.takeCalls().filter { $0.route == .pull }
      .compactMap { try? PullPage(decoding: $0.response.body).envelopes.count }
    #expect(pages.contains { $0 >= 20 } && pages.reduce(0, +) == 27)
    _ = try await Replica(database: c).sync(with: .directory(b))
    #expect(c.store("things").documents == a.store("things").documents)
  }

  @Test func `an endpoint that began anew gets everything, and takes nothing away`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    for number in 0..<20 { a.store("things").write(id(number), [1]) }
    try await fixture.sync(a)
    try await fixture.sync(b)
    let backup = fixture.endpoint.backup()
    b.store("things").write(id(3), [3])
    try await fixture.sync(b)
    fixture.endpoint.restore(backup)
    a.store("things").write(id(4), [4])
    try await fixture.sync(a)
    try await fixture.sync(b)
    try await fixture.sync(a)
    #expect(a.store("things").states == b.store("things").states)
    #expect(a.store("things").documents[id(3)] == [3])

    fixture.endpoint.wipe()
    let report = try await fixture.sync(b)
    #expect(report.reconciled && report.sent == 20 && report.verified)
    let second = try await fixture.sync(a)
    #expect(second.reconciled && second.same == 20 && second.sent == 0)
    #expect(a.store("things").documents.count == 20)
  }

  @Test func `a restored copy of an endpoint brings nothing back, and accuses nobody`() async throws
  {
    let a = fixture.database("A")
    for number in 0..<20 { a.store("things").write(id(number), [1]) }
    try await fixture.sync(a)
    let backup = fixture.endpoint.backup()
    a.store("things").delete(id(3))
    a.store("things").write(id(4), [4])
    try await fixture.sync(a)
    let author = a.author
    fixture.endpoint.restoreCopy(of: backup)
    let report = try await fixture.sync(a)
    #expect(!report.reidentified && report.conflicts == 0 && report.verified)
    #expect(a.author == author)
    #expect(a.store("things").documents.count == 19)
    #expect(a.store("things").documents[id(4)] == [4])
    let b = fixture.database("B")
    try await fixture.sync(b)
    #expect(b.store("things").documents == a.store("things").documents)
  }

  @Test func `an empty replica is not sent old deletions`() async throws {
    let a = fixture.database("A")
    for number in 0..<20 { a.store("things").write(id(number), [1]) }
    for number in 0..<15 { a.store("things").delete(id(number)) }
    try await fixture.sync(a)
    let b = fixture.database("B")
    let report = try await fixture.sync(b)
    #expect(report.received == 5 && b.store("things").states.count == 5)
    a.store("things").delete(id(17))
    try await fixture.sync(a)
    #expect(try await fixture.sync(b).received == 1)
    #expect(b.store("things").documents.count == 4)
  }

  @Test func `another id field refuses the collection, and the others go on`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    a.store("users", idField: "id").write(id(1), [1])
    a.store("things").write(id(1), [1])
    b.store("users", idField: "email").write(id(2), [2])
    try await fixture.sync(a)
    for peer in [fixture.peer, .directory(a)] {
      let report = try await Replica(database: b).sync(with: peer)
      #expect(!report.verified && report.problems.contains { $0.contains("email") })
      #expect(b.store("users", idField: "email").documents.count == 1)
      #expect(b.store("things").documents.count == 1)
    }
    #expect(fixture.heads("users").count == 2)
  }

  @Test func `a record that does not open is kept, named, and not replaced`() async throws {
    let a = fixture.database("A")
    let b = fixture.database("B")
    for number in 0..<5 { a.store("things").write(id(number), [1]) }
    try await fixture.sync(a)
    fixture.endpoint.damage { envelope in envelope[envelope.count - 1] ^= 1 }
    b.store("things").write(id(2), [2])
    let report = try await fixture.sync(b)
    #expect(report.quarantined == 6 && report.applied == 0 && !report.verified)
    #expect(!report.problems.isEmpty)
    // Document 2 stays here, since nobody can tell what it would replace.
    #expect(report.sent == 0)
    #expect(try await fixture.sync(b).quarantined == 6)
    fixture.endpoint.damage { envelope in envelope[envelope.count - 1] ^= 1 }
    a.store("things").write(id(3), [3])
    try await fixture.sync(a)
    let directory = SyncDirectory(b.syncDirectory)
    let collection = TagMaker(VaultKeys(key: fixture.key)).collection("things")
    let number = try #require(try directory.peers().keys.first)
    #expect(try directory.quarantined(peer: number, collection: collection).count == 6)
  }

  @Test func `a record that is too large for the endpoint is parked, and sent later`() async throws
  {
    let small = SyncFixture(limits: .init(bodySize: 8000))
    let a = small.database("A")
    a.store("things").write(id(1), [1])
    a.store("things").write(id(2), RandomBytes.next(9000))
    for number in 3..<200 { a.store("things").write(id(number), RandomBytes.next(100)) }
    let report = try await small.sync(a)
    #expect(report.parked == 1 && report.sent == 198 && !report.verified)
    #expect(report.problems.count == 1)
    let again = try await small.sync(a)
    #expect(again.parked == 1 && again.sent == 0)
    a.store("things").write(id(2), [2])
    let last = try await small.sync(a)
    #expect(last.parked == 0 && last.sent == 1 && last.verified)
  }

  @Test func `what the endpoint refuses is parked, and the rest goes`() async throws {
    let a = fixture.database("A")
    let picky = PickyEndpoint(fixture.endpoint)
    let network = SimulatedNetwork(picky)
    let peer = Peer.endpoint(network, address: "picky", vault: fixture.vault)
    for number in 0..<10 { a.store("things").write(id(number), [1]) }
    picky.refusedPlaces = [3, 5]
    let report = try await Replica(database: a).sync(with: peer)
    #expect(report.parked == 2 && report.sent == 8)
    picky.refusedPlaces = []
    let again = try await Replica(database: a).sync(with: peer)
    #expect(again.parked == 0 && again.sent == 2 && again.verified)
  }

  @Test func `a second sync of one database is refused while one runs`() async throws {
    let a = fixture.database("A")
    let lock = try SyncDirectory(a.syncDirectory).lock()
    await #expect(throws: SyncError.busy(path: "A")) { try await fixture.sync(a) }
    withExtendedLifetime(lock) {}
  }

  @Test func `another vault's address is refused`() async throws {
    let a = fixture.database("A")
    let peer = Peer.endpoint(fixture.network, address: "memory:", vault: .none)
    await #expect(
      throws: SyncError.vaultMismatch(local: "\(fixture.vault)", remote: "\(Identity.none)")
    ) {
      try await Replica(database: a).sync(with: peer)
    }
  }

  @Test func `the endpoint is known again under another address`() async throws {
    let a = fixture.database("A")
    a.store("things").write(id(1), [1])
    try await fixture.sync(a)
    let author = a.author
    let peer = Peer.endpoint(fixture.network, address: "elsewhere:", vault: fixture.vault)
    let report = try await Replica(database: a).sync(with: peer)
    #expect(report.sent == 0 && report.verified && a.author == author)
  }

  @Test func `another endpoint at a known address is met like a stranger`() async throws {
    let a = fixture.database("A")
    a.store("things").write(id(1), [1])
    try await fixture.sync(a)
    let other = SimulatedNetwork(MemoryEndpoint())
    let peer = Peer.endpoint(other, address: "memory:", vault: fixture.vault)
    let report = try await Replica(database: a).sync(with: peer)
    #expect(report.sent == 1 && report.verified && !report.reidentified)
    #expect(try await Replica(database: a).sync(with: peer).requests == 1)
  }

  @Test func `progress is told while records move`() async throws {
    let a = fixture.database("A")
    for number in 0..<10 { a.store("things").write(id(number), [1]) }
    let told = Told()
    try await fixture.sync(a, options: SyncOptions { told.append($0) })
    #expect(told.all.last?.records == 10 && told.all.last?.phase == .sending)
    #expect(told.all.last?.collection == "things")
  }
}
