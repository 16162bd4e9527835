import NyaruEngine
import NyaruSyncLog
import NyaruSyncServer
import TestSupport
import Testing

@Suite struct EmbeddedEndpointStoreTests {
  private let vault = VaultID.random()
  private let collection = CollectionTag.random()
  private let author = ReplicaID(number: 1)

  private func client(_ store: any EndpointStore) -> StoreClient {
    let transport = ServiceTransport(store: store)
    return StoreClient(EndpointPeer(transport: transport, vault: vault), collection: collection)
  }

  private func open(_ disk: SimulatedDisk) async throws -> EmbeddedEndpointStore {
    try await EmbeddedEndpointStore.open(try NyaruDB(directory: disk.root))
  }

  private func envelopes(_ range: ClosedRange<UInt64>) -> [[UInt8]] {
    range.map { FakeEnvelope.make(.random(), [Dot(replica: author, sequence: $0)]) }
  }

  @Test func `a store that is opened again goes on where it was`() async throws {
    let directory = try TemporaryDirectory()
    let store = try await EmbeddedEndpointStore.open(path: directory.path)
    var before = client(store)
    try await before.open()
    before.pushedThrough = 20
    let pushed = envelopes(1...20)
    let answer = try await before.push(pushed)
    let status = try await before.open(pulledThrough: answer.through, chain: answer.chain)
    try await store.close()

    let again = try await EmbeddedEndpointStore.open(path: directory.path)
    var after = before.moved(to: client(again).peer)
    let found = try await after.open(pulledThrough: answer.through, chain: answer.chain)
    #expect(found == status)
    #expect(found.isChainValid && !found.isTicketRefused && found.pushedThrough == 20)
    #expect(Set(try await after.pullAll()) == Set(pushed))
    #expect(try await after.push(pushed).outcomes.allSatisfy { $0 == .same })
    try await again.close()
  }

  @Test func `one process has a store at a time`() async throws {
    let directory = try TemporaryDirectory()
    let store = try await EmbeddedEndpointStore.open(path: directory.path)
    await #expect {
      try await EmbeddedEndpointStore.open(path: directory.path)
    } throws: {
      if case .busy = $0 as? EndpointServerError { true } else { false }
    }
    try await store.close()
    try await EmbeddedEndpointStore.open(path: directory.path).close()
  }

  @Test func `a directory with documents is left alone`() async throws {
    let directory = try TemporaryDirectory()
    let database = try NyaruDB(path: directory.path)
    _ = try await database.collection("people", of: Document.self)
    try await database.close()
    await #expect { try await EmbeddedEndpointStore.open(path: directory.path) } throws: { error in
      "\(error)".contains("people")
    }
    let names = try await NyaruDB(path: directory.path).listCollections()
    #expect(names == ["people"])
  }

  @Test(arguments: [
    (UInt64(1) << 29, UInt64(1) << 40, false), (1 << 29, 1 << 32, true), (2 << 30, 1 << 40, true),
    (0, 1 << 30, false),
  ])
  func `a disk that is almost full takes no more, and is read on`(
    free: UInt64, total: UInt64, hasRoom: Bool
  ) async throws {
    let store = try await EmbeddedEndpointStore.open(
      try NyaruDB(directory: SimulatedDisk().root), space: DiskSpace { (free, total) })
    var client = client(store)
    try await client.open()
    do {
      #expect(try await client.push(envelopes(1...1)).outcomes == [.stored])
      #expect(hasRoom)
    } catch {
      #expect(EndpointFailure.code(error) == .readOnly && !hasRoom)
    }
    #expect(try await client.pullAll().count == (hasRoom ? 1 : 0))
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `damage begins a new epoch, and what reads is kept`(seed: UInt64) async throws {
    let disk = SimulatedDisk()
    let store = try await open(disk)
    var before = client(store)
    let epoch = try await before.open().epoch
    let pushed = envelopes(1...40)
    for piece in stride(from: 0, to: 40, by: 10) {
      _ = try await before.push(Array(pushed[piece..<piece + 10]))
    }
    var image = disk.image
    let shard = try #require(shardPath(image))
    let size = try #require(image.bytes(shard)?.count)
    var generator = SeededGenerator(seed: seed)
    image.damage(shard, at: .random(in: 64..<size, using: &generator)) { $0 ^ 0xFF }

    let damaged = SimulatedDisk(image)
    let again = try await open(damaged)
    var after = client(again)
    let status = try await after.open()
    let kept = try await after.pullAll()
    #expect(Set(kept).isSubset(of: pushed))
    #expect(kept.count >= 39)
    #expect(status.epoch != epoch || kept.count == 40)
    // The replica reconciles: it pushes everything again, and nothing is missing.
    _ = try await after.push(pushed)
    #expect(Set(try await after.pullAll()) == Set(pushed))
    #expect(try await after.open().count == 40)
  }

  /// A store that was closed cleanly, so that opening it reads no heads, and lost one then.
  private func lost(
    _ pushed: [[UInt8]], at index: Int
  ) async throws -> (store: EmbeddedEndpointStore, client: StoreClient) {
    let disk = SimulatedDisk()
    let store = try await open(disk)
    var before = client(store)
    try await before.open()
    _ = try await before.push(pushed)
    try await store.close()
    var image = disk.image
    let shard = try #require(shardPath(image))
    let bytes = try #require(image.bytes(shard))
    let place = try #require(bytes.firstRange(of: pushed[index]))
    image.damage(shard, at: place.lowerBound + 40) { $0 ^ 1 }
    let again = try await open(SimulatedDisk(image))
    return (again, before.moved(to: client(again).peer))
  }

  @Test(arguments: [EndpointRoute.pull, .push, .fetch])
  func `what does not read any more begins one new epoch, whoever meets it`(
    route: EndpointRoute
  ) async throws {
    let pushed = envelopes(1...10)
    var (store, client) = try await self.lost(pushed, at: 4)
    let lost = pushed[4]
    let record = try EnvelopeHeader(envelope: lost.span).record
    let epoch = client.epoch
    do {
      switch route {
      case .push: _ = try await client.push(pushed)
      case .fetch: _ = try await client.fetch([record])
      default: _ = try await client.pullAll()
      }
      Issue.record("nothing was missed")
    } catch {
      #expect(EndpointFailure.code(error) == .epochChanged)
    }
    let status = try await client.open()
    #expect(status.epoch != epoch && status.count == 9)
    #expect(try await client.pullAll().count == 9)
    #expect(try await client.fetch([record]).isEmpty)
    #expect(try await client.open().epoch == status.epoch)

    let outcomes = try await client.push(pushed).outcomes
    #expect(outcomes.count { $0 == .stored } == 1)
    #expect(Set(try await client.pullAll()) == Set(pushed))
    let mended = try await client.open()
    #expect(mended.epoch == status.epoch && mended.count == 10)
    try await store.close()
  }

  @Test func `a state that does not read any more begins a new epoch`() async throws {
    let disk = SimulatedDisk()
    let store = try await open(disk)
    var before = client(store)
    let epoch = try await before.open().epoch
    let pushed = envelopes(1...10)
    _ = try await before.push(pushed)
    try await store.close()
    var image = disk.image
    let shard = try #require(shardPath(image))
    let bytes = try #require(image.bytes(shard))
    for place in bytes.ranges(of: epoch.bytes) {
      image.damage(shard, at: place.lowerBound) { $0 ^ 1 }
    }
    let again = try await open(SimulatedDisk(image))
    var after = before.moved(to: client(again).peer)
    let status = try await after.open()
    #expect(status.epoch != epoch && status.count == 10)
    #expect(Set(try await after.pullAll()) == Set(pushed))
    try await again.close()
  }

  private func shardPath(_ image: DiskImage) -> String? {
    let name = "collections/" + (image.names("collections").first ?? "") + "/shards"
    return image.names(name).first.map { name + "/" + $0 }
  }

  // MARK: Crashes

  /// What was answered, and how many calls the disk had seen by then.
  private struct Answered: Sendable {
    var callCount: Int
    var envelopes: [[UInt8]]
    var through: UInt64
    var chain: ChainValue
  }

  /// A few pushes, large and small, some of which replace what came before.
  private func workload(
    _ store: any EndpointStore, _ disk: SimulatedDisk
  ) async throws -> (answered: [Answered], epoch: Epoch) {
    var client = client(store)
    let epoch = try await client.open().epoch
    let records = (0..<6).map { _ in RecordTag.random() }
    var answered: [Answered] = []
    for round in 1...8 {
      if round == 5 { try await client.open() }
      let pushed = records.prefix(1 + round % 6).map { record in
        let dot = Dot(replica: author, sequence: UInt64(round))
        return FakeEnvelope.make(record, [dot], size: 16 + round * 300)
      }
      client.pushedThrough = UInt64(round)
      let answer = try await client.push(pushed)
      answered.append(
        Answered(
          callCount: disk.callCount, envelopes: pushed, through: answer.through,
          chain: answer.chain))
    }
    return (answered, epoch)
  }

  @Test(arguments: Survival.allCases)
  func `whatever was answered is there after a crash at any call`(
    survival: Survival
  ) async throws {
    let disk = SimulatedDisk()
    let (answered, epoch) = try await workload(try await open(disk), disk)
    let journal = disk.journal
    var random = SeededGenerator(seed: 11)
    var image = disk.start
    for (count, event) in journal.enumerated() {
      let crashed = SimulatedDisk(image.crashed(survival, during: event, &random))
      let known = answered.filter { $0.callCount <= count }
      let kept = survival == .kill ? epoch : nil
      try await check(crashed, known: known, epoch: kept, all: answered, at: count)
      image.apply(event)
    }
  }

  private func check(
    _ disk: SimulatedDisk, known: [Answered], epoch: Epoch?, all: [Answered], at count: Int
  ) async throws {
    let store = try await open(disk)
    var client = client(store)
    let last = known.last
    let status = try await client.open(
      pulledThrough: last?.through ?? 0, chain: last?.chain ?? .none)
    let heads = try await client.pullAll(countLimit: 2)
    var sum = DigestSum()
    for head in heads { sum.insert(try EnvelopeHeader(envelope: head.span)) }
    #expect(status.count == sum.count && status.root == sum.root, "after \(count) calls")

    var expected: [RecordTag: EnvelopeHeader] = [:]
    for envelope in known.flatMap(\.envelopes) {
      let header = try EnvelopeHeader(envelope: envelope.span)
      expected[header.record] = header
    }
    for header in expected.values {
      let found = try await client.fetch([header.record])
      let vectors = try found.map { try EnvelopeHeader(envelope: $0.span).vector }
      #expect(vectors.contains { header.vector.isSubset(of: $0) }, "after \(count) calls")
    }
    if let epoch, last != nil { #expect(status.epoch == epoch, "after \(count) calls") }
    // The replica, which never heard of its last push, brings everything again.
    for push in all { _ = try await client.push(push.envelopes) }
    #expect(try await client.open().count == 6)
    try await store.close()
  }
}
