import NyaruEngine
import TestSupport
import Testing

@Suite struct StoreTests {
  @Test func `what was written is there, and is there again after reopening`() throws {
    let disk = SimulatedDisk()
    let store = try Store.open(directory: disk.root, configuration: TestRecords.configuration())
    #expect(store.openReport.kind == .created)
    try store.commit([TestRecords.write(1, [1, 2, 3])])
    try store.commit([TestRecords.write(2, [7]), TestRecords.write(3, [])])
    try store.commit([TestRecords.deletion(2)])

    #expect(try store.reader.record(TestRecords.idKey(1)).map { Array($0.body) } == [1, 2, 3])
    #expect(try store.reader.record(TestRecords.idKey(2)) == nil)
    #expect(store.reader.liveCount == 2)
    try store.close()

    let again = try Store.open(directory: disk.root, configuration: TestRecords.configuration())
    #expect(again.openReport.kind == .clean)
    #expect(again.nextSequence == 5)
    #expect(
      try TestRecords.contents(of: again.reader.snapshot()).records == [1: [1, 2, 3], 3: []])
  }
}
