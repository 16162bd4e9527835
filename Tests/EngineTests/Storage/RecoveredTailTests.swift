import NyaruEngine
import TestSupport
import Testing

/// What a killed process has left behind the checkpoint, and a store takes in when it has to.
@Suite struct RecoveredTailTests {
  private static let count = 5_000

  /// A store behind a checkpoint, and what is in it.
  private struct Life {
    let disk: SimulatedDisk
    var store: Store
    var model: [Int: [UInt8]] = [:]

    init(keepsMarkers: Bool = true, count: Int = RecoveredTailTests.count) throws {
      disk = SimulatedDisk()
      store = try RecoveredTailTests.open(disk, keepsMarkers: keepsMarkers)
      try store.commit((0..<count).map { TestRecords.write($0, [UInt8($0 % 251), 1]) })
      for id in 0..<count { model[id] = [UInt8(id % 251), 1] }
      for _ in 0..<2 { try store.checkpoint() }
    }

    mutating func write(_ ids: some Sequence<Int>, _ body: [UInt8]) throws {
      try store.commit(ids.map { TestRecords.write($0, body) })
      for id in ids { model[id] = body }
    }

    mutating func delete(_ id: Int) throws {
      try store.commit([TestRecords.deletion(id)])
      model[id] = nil
    }

    /// Writes of all kinds, several to one record among them.
    mutating func writeTail(_ steps: Int, seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      for step in 0..<steps {
        let id = Int.random(in: 0..<model.count + 20, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where model[id] != nil: try delete(id)
        case 1: try write((0..<5).map { id + $0 * 31 }, [UInt8(step % 256), 2])
        default: try write([id], [UInt8(step % 256), 3])
        }
      }
    }

    /// The disk of the next process, if this one is killed now.
    func killed() -> SimulatedDisk { SimulatedDisk(disk.image) }
  }

  private static func open(_ disk: SimulatedDisk, keepsMarkers: Bool = true) throws -> Store {
    var configuration = TestRecords.configuration(bootID: disk.bootID)
    configuration.keepsDeletionMarkers = keepsMarkers
    return try Store.open(directory: disk.root, configuration: configuration)
  }

  private func expect(
    _ store: Store, has model: [Int: [UInt8]], _ location: SourceLocation = #_sourceLocation
  ) throws {
    let snapshot = store.reader.snapshot()
    #expect(
      try TestRecords.contents(of: snapshot).records == model, sourceLocation: location)
    #expect(snapshot.liveCount == model.count, sourceLocation: location)
    for first in [0, 1, 77, 250] as [UInt8] {
      let expected = model.values.count { $0[0] == first }
      let counted = try snapshot.count(inIndex: 0, .exactly([first]))
      #expect(counted == expected, sourceLocation: location)
    }
    #expect(try store.check().isSound, sourceLocation: location)
  }

  @Test func `opening after a kill and one look read the tail and little else`() throws {
    var life = try Life(count: 16_000)
    for id in 0..<100 { try life.write([id * 41], [9]) }
    let disk = life.killed()
    let name = try #require(disk.image.names().first { $0.hasPrefix("checkpoint.") })
    let whole = try #require(disk.image.bytes(name)).count
    let store = try Self.open(disk)
    #expect(store.openReport.kind == .recovered)
    #expect(try store.reader.record(TestRecords.idKey(41))?.body == [9])
    #expect(disk.counters.readSize < whole / 10, "\(disk.counters.readSize) of \(whole) bytes")
    #expect(try store.reader.record(TestRecords.idKey(42))?.body == [42, 1])
    #expect(disk.counters.readSize < whole / 2, "\(disk.counters.readSize) of \(whole) bytes")
  }

  @Test(arguments: 0..<4)
  func `single records are found before the tail is taken in, and all records after`(
    seed: UInt64
  ) throws {
    var life = try Life()
    try life.writeTail(300, seed: seed)
    let store = try Self.open(life.killed())
    for id in 0..<Self.count + 200 {
      let found = try store.reader.record(TestRecords.idKey(id))?.body
      #expect(found.map { Array($0) } == life.model[id])
    }
    try expect(store, has: life.model)
    var statistics = store.reader.statistics
    statistics.activity = StoreActivity()
    statistics.durableSequence = 0
    var expected = life.store.reader.statistics
    expected.activity = StoreActivity()
    expected.durableSequence = 0
    #expect(statistics == expected)
    let changes = try store.reader.snapshot().changes(after: UInt64(Self.count))
    #expect(try changes == life.store.reader.snapshot().changes(after: UInt64(Self.count)))
  }

  enum Use: CaseIterable, Sendable {
    case nothing, update, delete, insert, batch, checkpoint, compaction, check, replacedIndexes
  }

  /// Uses a store that has just been opened, in one way.
  private func use(_ life: inout Life, _ use: Use) throws {
    switch use {
    case .nothing: break
    case .update: try life.write([5], [77, 9])
    case .delete: try life.delete(6)
    case .insert: try life.write([Self.count * 2], [77, 7])
    case .batch: try life.write(0..<300, [77, 8])
    case .checkpoint: try life.store.checkpoint()
    case .compaction: try life.store.compact()
    case .check: #expect(try life.store.check().isSound)
    case .replacedIndexes:
      let old = TestRecords.configuration()
      try life.store.replaceIndexes([], extractKeys: { _, _ in [] })
      try life.store.replaceIndexes(old.indexes, extractKeys: old.extractKeys)
    }
  }

  @Test(arguments: Use.allCases)
  func `the writer takes the tail in before it goes on`(use: Use) throws {
    var life = try Life()
    try life.write([5, 6], [1, 1])
    try life.writeTail(200, seed: 7)
    try life.write([5, 6], [2, 2])
    let disk = life.killed()
    life.store = try Self.open(disk)
    try self.use(&life, use)
    if use != .nothing { try expect(life.store, has: life.model) }
    try life.store.close()
    let again = try Self.open(disk)
    #expect(again.openReport.kind == .clean)
    try expect(again, has: life.model)
    try again.compact()
    #expect(again.reader.statistics.garbage <= 3 * 64, "headers alone are left")
    try expect(again, has: life.model)
  }

  @Test(arguments: Use.allCases)
  func `a tail on a checkpoint that does not read is built from the slots`(use: Use) throws {
    var life = try Life()
    try life.writeTail(200, seed: 3)
    try life.write([5, 6], [2, 2])
    let disk = SimulatedDisk(try Self.damaged(life.disk.image))
    life.store = try Self.open(disk)
    let reader = life.store.reader
    #expect(try reader.record(TestRecords.idKey(5))?.body == [2, 2])
    if use == .nothing {
      #expect(throws: StorageError.self) { try reader.snapshot().count() }
      #expect(throws: StorageError.self) { try reader.snapshot().handles() }
      #expect(try reader.record(TestRecords.idKey(5))?.body == [2, 2])
      #expect(try life.store.rebuild())
    }
    if use == .check {
      #expect(throws: StorageError.self) { try life.store.check() }
    } else {
      try self.use(&life, use)
      try expect(life.store, has: life.model)
    }
    try life.store.close()
    try expect(try Self.open(disk), has: life.model)
  }

  /// Damages all parts of the checkpoint, and none of what opening reads.
  private static func damaged(_ image: DiskImage) throws -> DiskImage {
    var image = image
    let name = try #require(image.names().first { $0.hasPrefix("checkpoint.") })
    let bytes = try #require(image.bytes(name))
    let directoryOffset = (0..<8).reduce(0) { $0 | Int(bytes[32 + $1]) << (8 * $1) }
    for offset in stride(from: 64, to: directoryOffset, by: 1_000) {
      image.damage(name, at: offset) { $0 ^ 0x40 }
    }
    return image
  }

  @Test func `what the tail has deleted stays deleted when its markers are forgotten`() throws {
    var life = try Life(keepsMarkers: false)
    for id in 0..<200 { try life.delete(id) }
    let disk = SimulatedDisk(try Self.damaged(life.disk.image))
    let store = try Self.open(disk, keepsMarkers: false)
    try store.checkpoint()
    for _ in 0..<3 { try store.checkpoint() }
    #expect(store.reader.statistics.deletionMarkers == 0)
    try store.close()
    // Without any checkpoint all slots are read again.
    for name in try disk.root.names() where name.hasPrefix("checkpoint.") {
      try disk.root.unlink(name)
    }
    let again = try Self.open(disk, keepsMarkers: false)
    #expect(again.openReport.kind == .walked)
    #expect(try TestRecords.contents(of: again.reader.snapshot()).records == life.model)
  }

  @Test func `a read that fails while the tail is taken in leaves nothing out of an index`() throws
  {
    var life = try Life()
    try life.writeTail(100, seed: 3)
    var expected = [Int](repeating: 0, count: 256)
    for body in life.model.values { expected[Int(body[0])] += 1 }
    for call in 0... {
      let disk = life.killed()
      let store = try Self.open(disk)
      disk.setFault(DiskFault(.reading, after: call, code: 5))
      let snapshot = store.reader.snapshot()
      let isOver = disk.hasFaultAhead
      disk.setFault(nil)
      for first in expected.indices {
        let counted = try? snapshot.count(inIndex: 0, .exactly([UInt8(first)]))
        #expect(counted == nil || counted == expected[first], "call \(call), key \(first)")
      }
      #expect(try store.rebuild() == !isOver)
      try expect(store, has: life.model)
      if isOver { break }
    }
  }

  @Test func `many readers may be the first`() async throws {
    var life = try Life()
    try life.writeTail(200, seed: 11)
    try life.write([5], [3, 3])
    let store = try Self.open(life.killed())
    let (reader, model) = (store.reader, life.model)
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for id in task * 50..<task * 50 + 50 {
            let found = try reader.record(TestRecords.idKey(id))?.body
            #expect(found.map { Array($0) } == model[id])
          }
          #expect(try TestRecords.contents(of: reader.snapshot()).records == model)
        }
      }
      try await group.waitForAll()
    }
    try life.write([5], [4, 4])
    #expect(try reader.snapshot().record(TestRecords.idKey(5))?.body == [3, 3])
  }
}
