import NyaruEngine
import NyaruSyncLog
import NyaruSyncServer
import TestSupport
import Testing

/// What every store of an endpoint does, at every depth.
@Suite struct EndpointStoreTests {
  /// A store of some kind, behind some depth.
  struct Setting: Sendable, CustomTestStringConvertible {
    var depth: Depth
    var kind: StoreKind

    var testDescription: String { "\(kind) through the \(depth)" }

    static let all = StoreKind.allCases.flatMap { kind in
      Depth.allCases.map { Setting(depth: $0, kind: kind) }
    }
  }

  private let collection = CollectionTag.random()
  private let record = RecordTag.random()
  private let author = ReplicaID(number: 1)
  private let other = ReplicaID(number: 2)

  private func run(
    _ setting: Setting, _ body: (EndpointFixture) async throws -> Void
  ) async throws {
    let store = try await setting.kind.open()
    let fixture = try await EndpointFixture(setting.depth, store: store.store)
    try await body(fixture)
    try await fixture.stop()
    try await store.close()
  }

  private func client(
    _ fixture: EndpointFixture, replica: ReplicaID = .random()
  ) -> StoreClient {
    StoreClient(fixture.peer, collection: collection, replica: replica)
  }

  @Test(arguments: Setting.all)
  func `a new vault is empty, and asking creates nothing`(setting: Setting) async throws {
    try await run(setting) { fixture in
      let claim = SessionRequest.Claim(collection: collection)
      let request = SessionRequest(
        replica: author, ticket: .random(), isOnlyAsking: true, claims: [claim])
      for _ in 0..<2 {
        let answer = try await fixture.peer.session(request)
        #expect(answer.collections.allSatisfy { $0.epoch == .none })
      }
    }
  }

  @Test(arguments: Setting.all)
  func `a session creates what it claims`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      let status = try await client.open()
      #expect(status.epoch != .none)
      #expect(status.head == 0 && status.chain == .none)
      #expect(status.count == 0 && status.root == .none)
      #expect(status.pushedThrough == 0 && !status.isTicketRefused)
      let again = try await client.open()
      #expect(again.epoch == status.epoch)
      #expect(again.isChainValid)
    }
  }

  @Test(arguments: Setting.all)
  func `what was pushed is pulled, byte for byte`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      let envelopes = (1...20).map { number in
        FakeEnvelope.make(
          .random(), [Dot(replica: author, sequence: UInt64(number))], size: 16 + number * 37)
      }
      let answer = try await client.push(envelopes)
      #expect(answer.outcomes == Array(repeating: .stored, count: 20))
      #expect(answer.before == 0 && answer.through > 0 && answer.chain != .none)
      let page = try await client.pull()
      #expect(Set(page.envelopes.all) == Set(envelopes))
      #expect(page.through == answer.through && page.chain == answer.chain && !page.hasMore)
      let status = try await client.open(pulledThrough: page.through, chain: page.chain)
      #expect(status.isChainValid && status.head == page.through && status.chain == page.chain)
      #expect(status.count == 20)
    }
  }

  @Test(arguments: Setting.all)
  func `a push that comes twice changes nothing`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      let envelope = FakeEnvelope.make(record, [Dot(replica: author, sequence: 1)])
      let first = try await client.push([envelope])
      let second = try await client.push([envelope])
      #expect(second.outcomes == [.same])
      #expect(second.before == first.through && second.through == first.through)
      #expect(second.chain == first.chain)
    }
  }

  @Test(arguments: Setting.all)
  func `a head gives way to what covers it, and covers what is older`(
    setting: Setting
  ) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      let old = FakeEnvelope.make(record, [Dot(replica: author, sequence: 1)])
      let new = FakeEnvelope.make(record, [Dot(replica: author, sequence: 2)])
      _ = try await client.push([old])
      #expect(try await client.push([new]).outcomes == [.stored])
      let answer = try await client.push([old])
      #expect(answer.outcomes == [.covered])
      #expect(answer.covering.all == [new])
      #expect(try await client.fetch([record]) == [new])
      #expect(try await client.pullAll() == [new])
    }
  }

  @Test(arguments: Setting.all)
  func `concurrent heads both stay until one covers them`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      let mine = FakeEnvelope.make(record, [Dot(replica: author, sequence: 1)])
      let yours = FakeEnvelope.make(record, [Dot(replica: other, sequence: 1)])
      let fork = FakeEnvelope.make(record, [Dot(replica: other, sequence: 1)], stateTag: 7)
      for envelope in [mine, yours, fork] {
        #expect(try await client.push([envelope]).outcomes == [.stored])
      }
      #expect(Set(try await client.fetch([record])) == [mine, yours, fork])
      #expect(try await client.open().count == 3)
      let merged = FakeEnvelope.make(
        record, [Dot(replica: author, sequence: 2), Dot(replica: other, sequence: 1)])
      #expect(try await client.push([merged]).outcomes == [.stored])
      #expect(try await client.fetch([record]) == [merged])
      #expect(try await client.open().count == 1)
    }
  }

  @Test(arguments: Setting.all)
  func `one push may bring several states of one record`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      let states = [1, 3, 2].map { sequence in
        FakeEnvelope.make(record, [Dot(replica: author, sequence: sequence)])
      }
      let answer = try await client.push(states)
      #expect(answer.outcomes == [.stored, .stored, .covered])
      #expect(answer.covering.all == [states[1]])
      #expect(try await client.pullAll() == [states[1]])
    }
  }

  @Test(arguments: Setting.all)
  func `pages end where commits end, and lose nothing`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      var expected: Set<[UInt8]> = []
      var commits: [UInt64: ChainValue] = [:]
      for commit in 0..<8 {
        let envelopes = (0..<3).map { index in
          let sequence = UInt64(commit * 3 + index + 1)
          return FakeEnvelope.make(.random(), [Dot(replica: author, sequence: sequence)])
        }
        expected.formUnion(envelopes)
        let answer = try await client.push(envelopes)
        commits[answer.through] = answer.chain
      }
      var page = try await client.pull(countLimit: 7)
      var received = page.envelopes.all
      #expect(received.count == 6 && page.hasMore)
      while page.hasMore {
        #expect(commits[page.through] == page.chain)
        page = try await client.pull(since: page.through, chain: page.chain, countLimit: 1)
        #expect(page.envelopes.count == 3, "a commit is not split, whatever the limit")
        received += page.envelopes.all
      }
      #expect(Set(received) == expected && received.count == expected.count)
    }
  }

  @Test(arguments: Setting.all)
  func `another epoch or history is refused`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      let answer = try await client.push([
        FakeEnvelope.make(record, [Dot(replica: author, sequence: 1)])
      ])
      await #expect { try await client.pull(since: answer.through, chain: .random()) } throws: {
        EndpointFailure.code($0) == .historyChanged
      }
      await #expect { try await client.pull(since: 1 << 40, chain: answer.chain) } throws: {
        EndpointFailure.code($0) == .historyChanged
      }
      await #expect { try await client.pull(since: 0, chain: .random()) } throws: {
        EndpointFailure.code($0) == .historyChanged
      }
      let request = PullRequest(
        collection: collection, epoch: .random(), since: 0, chain: .none)
      await #expect { try await fixture.peer.pull(request) } throws: {
        EndpointFailure.code($0) == .epochChanged
      }
      let unknown = PullRequest(
        collection: .random(), epoch: .random(), since: 0, chain: .none)
      await #expect { try await fixture.peer.pull(unknown) } throws: {
        EndpointFailure.code($0) == .unknownCollection
      }
    }
  }

  @Test(arguments: Setting.all)
  func `only the newest session of a replica may push`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      let stale = client
      try await client.open()
      let envelope = FakeEnvelope.make(record, [Dot(replica: author, sequence: 1)])
      await #expect { try await stale.push([envelope]) } throws: {
        EndpointFailure.code($0) == .ticketUnknown
      }
      #expect(try await client.push([envelope]).outcomes == [.stored])
    }
  }

  @Test(arguments: Setting.all)
  func `a copy of a replica is found by its tickets`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var original = client(fixture)
      try await original.open()
      let common = original.ticket
      var copy = original
      try await original.open()
      let status = try await copy.open()
      #expect(status.isTicketRefused)
      #expect(status.commonTicket == common.high)
      #expect(try await original.open().isTicketRefused == false)
    }
  }

  @Test(arguments: Setting.all)
  func `a push with a bad envelope stores none and names them all`(
    setting: Setting
  ) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      let before = try await client.open()
      let good = FakeEnvelope.make(record, [Dot(replica: author, sequence: 1)])
      let envelopes = [good, [], good + [0], [9] + good.dropFirst(), good]
      await #expect { try await client.push(envelopes) } throws: { error in
        guard case .endpoint(let failure) = error as? PeerFailure else { return false }
        return failure.code == .recordsRefused && failure.records.map(\.index) == [1, 2, 3]
      }
      let after = try await client.open()
      #expect(after.head == before.head && after.count == 0)
      #expect(try await client.fetch([record]).isEmpty)
    }
  }

  @Test(arguments: Setting.all)
  func `there is a limit on concurrent heads, and it loses nothing`(
    setting: Setting
  ) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      let heads = (1...65).map { number in
        FakeEnvelope.make(record, [Dot(replica: ReplicaID(number: number), sequence: 1)])
      }
      _ = try await client.push(Array(heads.prefix(64)))
      await #expect { try await client.push([heads[64]]) } throws: { error in
        guard case .endpoint(let failure) = error as? PeerFailure else { return false }
        return failure.records.map(\.code) == [.tooManyHeads]
      }
      #expect(try await client.fetch([record]).count == 64)
    }
  }

  @Test(arguments: Setting.all)
  func `deletions are kept, not counted, and left out on request`(
    setting: Setting
  ) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      let deletion = FakeEnvelope.make(
        record, [Dot(replica: author, sequence: 2)], isDeletion: true)
      let document = FakeEnvelope.make(.random(), [Dot(replica: author, sequence: 3)])
      _ = try await client.push([deletion])
      let answer = try await client.push([document])
      #expect(try await client.open().count == 1)
      #expect(try await client.pullAll() == [deletion, document])
      let page = try await client.pull(markersAfter: answer.through)
      #expect(page.envelopes.all == [document] && page.through == answer.through)
    }
  }

  @Test(arguments: Setting.all)
  func `count and root are those of the heads`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      var generator = SeededGenerator(seed: 7)
      let records = (0..<5).map { _ in RecordTag.random() }
      for round in 1...10 {
        let envelopes = records.map { record in
          let author = ReplicaID(number: .random(in: 1...3, using: &generator))
          return FakeEnvelope.make(
            record, [Dot(replica: author, sequence: UInt64(round))],
            isDeletion: .random(using: &generator))
        }
        _ = try await client.push(envelopes)
        var sum = DigestSum()
        for envelope in try await client.fetch(records) {
          sum.insert(try EnvelopeHeader(envelope: envelope.span))
        }
        let status = try await client.open()
        #expect(status.count == sum.count && status.root == sum.root)
      }
    }
  }

  @Test(arguments: Setting.all)
  func `the endpoint remembers what a replica has pushed`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var client = client(fixture)
      try await client.open()
      client.pushedThrough = 41
      _ = try await client.push([FakeEnvelope.make(record, [Dot(replica: author, sequence: 1)])])
      #expect(try await client.open().pushedThrough == 41)
      client.pushedThrough = 12
      _ = try await client.push([])
      #expect(try await client.open().pushedThrough == 41)
      var stranger = self.client(fixture)
      #expect(try await stranger.open().pushedThrough == 0)
    }
  }

  @Test(arguments: Setting.all)
  func `vaults and collections do not see each other`(setting: Setting) async throws {
    try await run(setting) { fixture in
      var first = client(fixture)
      var second = StoreClient(fixture.peer, collection: .random())
      try await first.open()
      try await second.open()
      _ = try await first.push([FakeEnvelope.make(record, [Dot(replica: author, sequence: 1)])])
      #expect(try await second.fetch([record]).isEmpty)
      #expect(try await second.pullAll().isEmpty)
      let answer = try await fixture.peer.session(
        SessionRequest(replica: author, ticket: .random(), isOnlyAsking: true, claims: []))
      #expect(answer.collections.map(\.collection) == [collection, second.collection].sorted())
    }
  }

  @Test(arguments: Setting.all)
  func `pushes at once are taken one after the other`(setting: Setting) async throws {
    try await run(setting) { fixture in
      let answers = try await pushAtOnce(fixture)
      // Each commit stands on the one before it, and none is lost.
      let ordered = answers.sorted { $0.through < $1.through }
      #expect(zip(ordered, ordered.dropFirst()).allSatisfy { $0.through == $1.before })
      #expect(Set(answers.map(\.chain)).count == 12)
      var client = client(fixture)
      #expect(try await client.open().count == 24)
      #expect(try await client.fetch([record]).count == 12)
      #expect(Set(try await client.pullAll(countLimit: 3)).count == 24)
    }
  }

  /// Twelve replicas that push a version of one record, and a record of their own.
  private func pushAtOnce(_ fixture: EndpointFixture) async throws -> [PushAnswer] {
    try await withThrowingTaskGroup(of: PushAnswer.self) { group in
      for number in 1...12 {
        let replica = ReplicaID(number: UInt64(number))
        let start = StoreClient(fixture.peer, collection: collection, replica: replica)
        group.addTask { [record] in
          var client = start
          try await client.open()
          return try await client.push([
            FakeEnvelope.make(record, [Dot(replica: replica, sequence: 1)]),
            FakeEnvelope.make(.random(), [Dot(replica: replica, sequence: 2)]),
          ])
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}
