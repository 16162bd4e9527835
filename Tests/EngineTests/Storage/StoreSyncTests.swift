import Foundation
import NyaruEngine
import TestSupport
import Testing

@Suite struct StoreSyncTests {
  private let disk = SimulatedDisk()

  private func open() throws -> Store {
    try Store.open(
      directory: disk.root, configuration: TestRecords.configuration(bootID: disk.bootID))
  }

  /// What a power cut would leave.
  private func afterPowerCut() throws -> [Int: [UInt8]] {
    var random = SeededGenerator(seed: 0)
    let cut = SimulatedDisk(disk.image.crashed(.prefix, &random))
    let store = try Store.open(
      directory: cut.root, configuration: TestRecords.configuration(bootID: cut.bootID))
    return try TestRecords.contents(of: store.reader.snapshot()).records
  }

  @Test func `writes go on beside a sync, which vouches for what came before`() throws {
    let store = try open()
    try store.commit([TestRecords.write(1, [1])])
    let work = try #require(try store.beginSync())
    try store.commit([TestRecords.write(2, [2])])
    #expect(work.target == 1)
    work.run()
    try store.finishSync(work)
    #expect(store.reader.durableSequence == 1)
    #expect(try afterPowerCut()[1] == [1])
  }

  @Test func `calls that overlap get the sync in flight, and another one afterwards`() throws {
    let store = try open()
    try store.commit([TestRecords.write(1, [1])])
    let first = try #require(try store.beginSync())
    try store.commit([TestRecords.write(2, [2])])
    let second = try #require(try store.beginSync())
    #expect(first === second)
    try store.finishSync(second)
    #expect(store.reader.durableSequence == 1)
    let third = try #require(try store.beginSync())
    #expect(third.target == 2)
    try store.finishSync(third)
    try store.finishSync(first)
    #expect(store.reader.durableSequence == 2)
    #expect(try store.beginSync() == nil)
  }

  @Test func `a checkpoint takes over the sync in flight, also its failure`() throws {
    let store = try open()
    try store.commit([TestRecords.write(1, [1])])
    let work = try #require(try store.beginSync())
    disk.setFault(DiskFault(after: 0, code: 5))
    work.run()
    #expect(throws: StorageError.self) { try store.checkpoint() }
    #expect(throws: StorageError.self) { try store.finishSync(work) }
    #expect(throws: StorageError.self) { try store.commit([TestRecords.write(2, [2])]) }
  }

  @Test func `after a failed fsync nothing is written, reads go on, and reopening helps`() throws {
    let store = try open()
    try store.commit([TestRecords.write(1, [1])])
    try store.sync()
    try store.commit([TestRecords.write(2, [2])])
    disk.setFault(DiskFault(after: 0, code: 5))
    #expect(throws: StorageError.self) { try store.sync() }
    let failure = try #require(store.poison)
    for attempt in 0..<2 {
      #expect(throws: StorageError.poisoned(failure), "\(attempt)") { try store.sync() }
      #expect(throws: StorageError.poisoned(failure), "\(attempt)") {
        try store.commit([TestRecords.write(3, [3])])
      }
      #expect(throws: StorageError.poisoned(failure), "\(attempt)") { try store.checkpoint() }
    }
    #expect(try store.reader.record(TestRecords.idKey(2)) != nil)
    #expect(throws: StorageError.poisoned(failure)) { try store.close() }

    let again = try open()
    #expect(try TestRecords.contents(of: again.reader.snapshot()).records == [1: [1], 2: [2]])
    try again.sync()
    #expect(try afterPowerCut() == [1: [1], 2: [2]])
  }

  @Test func `a reader does not wait for a sync`() throws {
    let store = try open()
    try store.commit([TestRecords.write(1, [1])])
    let work = try #require(try store.beginSync())
    disk.holdSyncs()
    let thread = Thread { work.run() }
    thread.start()
    disk.waitForSyncs()
    #expect(try store.reader.record(TestRecords.idKey(1)) != nil)
    #expect(store.reader.snapshot().liveCount == 1)
    try store.commit([TestRecords.write(2, [2])])
    disk.releaseAllSyncs()
    try store.finishSync(work)
    #expect(store.reader.durableSequence == 1)
  }

  @Test func `a few writes to a large collection cost no checkpoint when it closes`() throws {
    let store = try open()
    try store.commit((0..<200).map { TestRecords.write($0, [UInt8](repeating: 1, count: 200)) })
    try store.checkpoint()
    try store.commit([TestRecords.write(1, [2])])
    let before = disk.image.names().sorted()
    try store.close()
    #expect(disk.image.names().sorted() == before)

    let again = try open()
    #expect(again.openReport.kind == .clean)
    #expect(again.nextSequence == 202)
    #expect(try again.reader.record(TestRecords.idKey(1)).map { Array($0.body) } == [2])
    try again.commit([TestRecords.write(2, [3])])
    let killed = try open()
    #expect(killed.openReport.kind == .recovered, "the mark was taken back before the write")
  }

  @Test func `a file that a snapshot had kept goes at the next open, which is clean`() throws {
    let store = try open()
    try store.commit([TestRecords.write(1, [1])])
    try store.commit([TestRecords.write(1, [2])])
    let snapshot = store.reader.snapshot()
    try store.compact()
    try store.close()
    #expect(disk.image.names("shards").count == 2)
    withExtendedLifetime(snapshot) {}
    #expect(try open().openReport.kind == .clean)
    #expect(disk.image.names("shards").count == 1)
  }
}
