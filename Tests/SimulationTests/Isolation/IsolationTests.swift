import NyaruEngine
import TestSupport
import Testing

/// Readers see one point in time and wait for nobody.
///
/// The writer is stopped at each call that changes the disk, and readers run to their end before
/// it goes on: if one of them waited for a write, a sync, a checkpoint or a compaction, it would
/// wait for ever.
@Suite(.timeLimit(.minutes(30))) struct IsolationTests {
  @Test(arguments: WriterScript.writes + WriterScript.upkeep, [false, true])
  func `readers run to their end at every call of a writer`(
    script: WriterScript, isReopened: Bool
  ) async throws {
    let world = try await GatedWorld(isReopened: isReopened)
    var after = world.contents
    script.apply(&after)
    let observer = Observer(items: world.items, before: world.contents, after: after)
    var held = HeldReaders(world)
    world.gate.close()
    let (gate, database, items) = (world.gate, world.database, world.items)
    let writer = Task(executorPreference: ThreadExecutor()) {
      defer { gate.end() }
      try await script.run(database, items)
    }
    var calls = 0
    var isDone = false
    while let call = await gate.next() {
      calls += 1
      try await held.look(at: call)
      isDone = try await observer.look(at: call, isDone: isDone)
      gate.letPass()
    }
    try await writer.value
    #expect(calls > 0 || isReopened, "what was closed needs no sync")
    try await held.finish()
    #expect(try await items.all() == after.values.byID)
    #expect(try await items.core.check().damaged.isEmpty)
    try await database.close()
  }

  @Test func `a write goes on while a sync waits for the disk`() async throws {
    let world = try await GatedWorld()
    world.gate.close()
    let items = world.items
    let sync = Task(executorPreference: ThreadExecutor()) { try await items.sync() }
    let first = try #require(await world.gate.next())
    #expect(first.hasPrefix("sync "))
    let gate = world.gate
    let writer = Task(executorPreference: ThreadExecutor()) { try await items.insert(Item(50, 1)) }
    let second = try #require(await gate.next())
    #expect(second.hasPrefix("write "))
    gate.end()
    try await writer.value
    try await sync.value
    #expect(try await items.get(id: 50) == Item(50, 1))
    try await world.database.close()
  }
}

extension IsolationTests {
  /// An item whose encoding waits at a gate.
  private struct SlowItem: Codable {
    var item: Item
    var gate: CallGate?

    init(_ item: Item, gate: CallGate) { (self.item, self.gate) = (item, gate) }

    init(from decoder: any Decoder) throws { item = try Item(from: decoder) }

    func encode(to encoder: any Encoder) throws {
      gate?.pass("encode")
      try item.encode(to: encoder)
    }
  }

  @Test(arguments: [["text", "number"], ["text"], []])
  func `indexes may change between the preparation of a write and its turn`(
    fields: [String]
  ) async throws {
    let world = try await GatedWorld()
    let slow = try await world.database.collection("items", of: SlowItem.self)
    let gate = CallGate()
    gate.close()
    let writer = Task(executorPreference: ThreadExecutor()) {
      try await slow.upsert(SlowItem(Item(1, 50), gate: gate))
    }
    #expect(await gate.next() == "encode")
    let options = CollectionOptions(partitionKey: "group", indexedFields: fields)
    _ = try await world.database.collection("items", of: Item.self, options: options)
    gate.end()
    try await writer.value
    for filter in [Filter.greaterThan("number", 40), .startsWith("text", "x")] {
      let found = try await world.items.find(filter).execute()
      #expect(found.contains(Item(1, 50)))
    }
    #expect(try await world.items.core.check().damaged.isEmpty)
    try await world.database.close()
  }
}

/// Readers that began before the writer.
private struct HeldReaders {
  private let snapshot: CollectionSnapshot<Item>
  private var stream: DocumentStream<Item>.Iterator
  private var streamed: [Item] = []
  private let expected: [Item]

  init(_ world: GatedWorld) {
    snapshot = world.items.snapshot()
    stream = world.items.stream(batchSize: 2).makeAsyncIterator()
    expected = world.contents.values.byID
  }

  mutating func look(at call: String) async throws {
    #expect(try snapshot.all() == expected, "a snapshot at \(call)")
    let found = try snapshot.documents(where: .greaterThan("number", 10))
    #expect(found == expected.filter { $0.number > 10 }, "a snapshot's query at \(call)")
    if let item = try await stream.next() { streamed.append(item) }
  }

  mutating func finish() async throws {
    try await look(at: "the end")
    while let item = try await stream.next() { streamed.append(item) }
    #expect(streamed == expected)
  }
}

/// Readers that begin while the writer is at work.
private struct Observer {
  let items: NyaruCollection<Item>
  let before: WriterScript.Contents
  let after: WriterScript.Contents

  /// - Returns: Whether the writer's change is seen; once it is, it stays.
  func look(at call: String, isDone: Bool) async throws -> Bool {
    let seen = try items.snapshot().all()
    let isNew = seen == after.values.byID
    #expect(isNew || seen == before.values.byID, "half of a change at \(call)")
    #expect(isNew || !isDone, "a change went away at \(call)")
    let contents = isNew ? after : before
    #expect(try await items.count() == contents.count)
    for id in contents.keys.sorted().prefix(12) {
      #expect(try await items.get(id: id) == contents[id], "\(id) at \(call)")
    }
    let query = items.find().where("number", isGreaterThan: 6).sort(by: "number")
    let matches = try await query.execute()
    #expect(matches.byID == contents.values.filter { $0.number > 6 }.byID, "a query at \(call)")
    #expect(try await query.count() == matches.count)
    var streamed: [Item] = []
    for try await item in items.stream(batchSize: 7) { streamed.append(item) }
    #expect(streamed == contents.values.byID, "a stream at \(call)")
    return isNew
  }
}
