import NyaruEngine
import TestSupport
import Testing

/// A store that was opened from a checkpoint, and has read none of it yet.
@Suite struct StorePartsTests {
  /// More records than one part of the table, the indexes and the change index holds.
  private static let count = 9_000

  private static let closed = Result { try closedDisk(count) }

  private static func closedDisk(_ count: Int) throws -> DiskImage {
    let disk = SimulatedDisk()
    let store = try open(disk)
    try store.commit((0..<count).map { TestRecords.write($0, body($0, 0)) })
    try store.checkpoint()
    try store.close()
    return disk.image
  }

  private static func open(_ disk: SimulatedDisk) throws -> Store {
    try Store.open(
      directory: disk.root, configuration: TestRecords.configuration(bootID: disk.bootID))
  }

  private static func body(_ id: Int, _ version: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: id &* 31 &+ version), UInt8(truncatingIfNeeded: id), 3]
  }

  private func disk() throws -> SimulatedDisk { SimulatedDisk(try Self.closed.get()) }

  @Test func `opening and one look read no more, however many records there are`() throws {
    var sizes: [Int] = []
    for count in [Self.count, 4 * Self.count] {
      let disk = SimulatedDisk(try Self.closedDisk(count))
      let store = try Self.open(disk)
      let opened = disk.counters.readSize
      #expect(store.openReport.kind == .clean && store.reader.liveCount == count)
      #expect(try store.reader.record(TestRecords.idKey(77))?.body == Self.body(77, 0)[...])
      sizes.append(disk.counters.readSize)
      #expect(opened < 16 << 10, "\(opened) bytes for \(count) records")
    }
    #expect(sizes[1] < sizes[0] + 8 << 10, "\(sizes)")
  }

  @Test(arguments: 0..<2)
  func `agrees with a dictionary, whatever part is touched first`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let disk = try disk()
    var store = try Self.open(disk)
    var model = Dictionary(uniqueKeysWithValues: (0..<Self.count).map { ($0, Self.body($0, 0)) })
    var snapshots: [(StoreSnapshot, [Int: [UInt8]])] = []
    for step in 1...60 {
      await Task.yield()  // Others wait for sockets meanwhile.
      let id = Int.random(in: 0..<Self.count + 50, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0: snapshots.append((store.reader.snapshot(), model))
      case 1...3 where model[id] != nil:
        try store.commit([TestRecords.deletion(id)])
        model[id] = nil
      case 4:
        let ids = (0..<50).map { $0 * 97 + id }
        try store.commit(ids.map { TestRecords.write($0, Self.body($0, step)) })
        for id in ids { model[id] = Self.body(id, step) }
      case 5:
        try store.close()
        snapshots = []
        store = try Self.open(disk)
      default:
        try store.commit([TestRecords.write(id, Self.body(id, step))])
        model[id] = Self.body(id, step)
      }
      let other = Int.random(in: 0..<Self.count, using: &random)
      let found = try store.reader.record(TestRecords.idKey(other))?.body
      #expect(found.map { Array($0) } == model[other])
    }
    for (snapshot, model) in snapshots + [(store.reader.snapshot(), model)] {
      #expect(try TestRecords.contents(of: snapshot).records == model)
      for first in [0, 100, 255] as [UInt8] {
        let expected = model.values.count { $0[0] == first }
        #expect(try snapshot.count(inIndex: 0, .exactly([first])) == expected)
      }
      let changes = try snapshot.changes(after: 0)
      #expect(changes.count >= model.count)
    }
    #expect(try store.check().isSound)
  }

  @Test func `handles that were freed are given out again after the next open`() throws {
    let disk = SimulatedDisk()
    var configuration = TestRecords.configuration(bootID: disk.bootID)
    configuration.keepsDeletionMarkers = false
    let store = try Store.open(directory: disk.root, configuration: configuration)
    try store.commit((0..<100).map { TestRecords.write($0, [1]) })
    try store.commit((0..<50).map { TestRecords.deletion($0) })
    for _ in 0..<3 { try store.checkpoint() }
    try store.close()
    let again = try Store.open(directory: disk.root, configuration: configuration)
    #expect(again.reader.statistics.deletionMarkers == 0)
    let before = disk.counters.readSize
    try again.commit((200..<240).map { TestRecords.write($0, [2]) })
    try again.checkpoint()
    #expect(disk.counters.readSize > before)
    let handles = try again.reader.snapshot().handles()
    #expect(handles.count == 90 && handles.allSatisfy { $0 < 100 })
  }
}

/// A process that was killed between two writes.
extension StorePartsTests {
  @Test func `after a kill only the tail is read and written again`() throws {
    let first = try disk()
    let killed = try Self.open(first)
    for id in 0..<40 { try killed.commit([TestRecords.write(id, Self.body(id, 5))]) }
    let disk = SimulatedDisk(first.image)
    let store = try Self.open(disk)
    #expect(store.openReport.kind == .recovered && store.openReport.scannedSlots >= 40)
    #expect(disk.image.names() == first.image.names(), "no other checkpoint")
    #expect(disk.counters.writeSize < 8 << 10, "\(disk.counters.writeSize) bytes written")
    #expect(store.nextSequence == killed.nextSequence && store.reader.durableSequence == 9_040)
    try store.commit([TestRecords.write(50, [7])])
    let again = try Self.open(SimulatedDisk(disk.image))
    #expect(try again.reader.record(TestRecords.idKey(3))?.body == Self.body(3, 5)[...])
    #expect(try again.reader.record(TestRecords.idKey(50))?.body == [7])
    #expect(again.reader.liveCount == Self.count)
  }
}

/// Parts that do not read.
extension StorePartsTests {
  enum Use: CaseIterable, Sendable {
    case update, delete, insert, batch, checkpoint, compaction, close, replacedIndexes
  }

  /// A disk on which all parts of the checkpoint are damaged, and none of what opening reads.
  private func damagedDisk() throws -> SimulatedDisk {
    var image = try Self.closed.get()
    let name = try #require(image.names().first { $0.hasPrefix("checkpoint.") })
    let bytes = try #require(image.bytes(name))
    let directoryOffset = (0..<8).reduce(0) { $0 | Int(bytes[32 + $1]) << (8 * $1) }
    for offset in stride(from: 64, to: directoryOffset, by: 1_000) {
      image.damage(name, at: offset) { $0 ^ 0x40 }
    }
    return SimulatedDisk(image)
  }

  @Test(arguments: Use.allCases)
  func `a part that does not read is built from the slots`(use: Use) async throws {
    await Task.yield()  // Others wait for sockets meanwhile.
    let disk = try damagedDisk()
    let store = try Self.open(disk)
    var model = Dictionary(uniqueKeysWithValues: (0..<Self.count).map { ($0, Self.body($0, 0)) })
    switch use {
    case .update, .batch:
      let ids = use == .update ? [5] : Array(5..<300)
      try store.commit(ids.map { TestRecords.write($0, Self.body($0, 9)) })
      for id in ids { model[id] = Self.body(id, 9) }
    case .insert:
      try store.commit([TestRecords.write(Self.count, [7])])
      model[Self.count] = [7]
    case .delete:
      try store.commit([TestRecords.deletion(5)])
      model[5] = nil
    case .checkpoint: try store.checkpoint()
    case .compaction: try store.compact()
    case .close: #expect(throws: StorageError.self) { try store.reader.snapshot().handles() }
    case .replacedIndexes:
      let old = TestRecords.configuration()
      try store.replaceIndexes([], extractKeys: { _, _ in [] })
      try store.replaceIndexes(old.indexes, extractKeys: old.extractKeys)
    }
    if use != .close {
      #expect(try TestRecords.contents(of: store.reader.snapshot()).records == model)
      #expect(try store.check().isSound)
    }
    try store.close()
    let again = try Self.open(disk)
    #expect(again.openReport.kind == .clean)
    #expect(try TestRecords.contents(of: again.reader.snapshot()).records == model)
    let indexed = try again.reader.snapshot().count(inIndex: 0, .all)
    #expect(indexed == model.count)
  }

  @Test func `a reader says that a part does not read, never that a record is missing`() throws {
    let disk = try damagedDisk()
    let store = try Self.open(disk)
    let snapshot = store.reader.snapshot()
    let key = TestRecords.idKey(77)
    #expect(throws: StorageError.self) { try store.reader.record(key) }
    #expect(throws: StorageError.self) { try store.reader.contains(key) }
    #expect(throws: StorageError.self) { try snapshot.record(key) }
    #expect(throws: StorageError.self) { try snapshot.record(handle: 3) }
    #expect(throws: StorageError.self) { try snapshot.forEachID { _ in true } }
    #expect(throws: StorageError.self) { try snapshot.count(inIndex: 0, .exactly([1])) }
    #expect(throws: StorageError.self) { try snapshot.changes(after: 8_000) }
    #expect(throws: StorageError.self) { try TestRecords.contents(of: snapshot) }
    #expect(try store.rebuild())
    #expect(try store.reader.record(key)?.body == Self.body(77, 0)[...])
    #expect(throws: StorageError.self) { try snapshot.record(key) }
  }

  @Test func `after a crash a damaged checkpoint costs a walk`() throws {
    let disk = try damagedDisk()
    var store = try Self.open(disk)
    try store.commit([TestRecords.write(5, [8])])
    // Killed: the head is not closed.
    store = try Self.open(SimulatedDisk(disk.image))
    #expect(try store.reader.record(TestRecords.idKey(5))?.body == [8])
    #expect(store.reader.liveCount == Self.count)
  }
}
