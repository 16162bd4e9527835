import NyaruEngine
import TestSupport
import Testing

@Suite struct RecordTableTests {
  @Test(arguments: 0..<8)
  func `agrees with a dictionary, and so do its snapshots`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = RecordTable()
    var model: [UInt32: RecordEntry] = [:]
    var snapshots: [(RecordTable, [UInt32: RecordEntry])] = []
    for sequence in 1...4000 as ClosedRange<UInt64> {
      let entry = RecordEntry(
        sequence: sequence, shard: Int.random(in: 0..<65_536, using: &random),
        offset: random.next() % (1 << 48) * 32,
        capacity: UInt32.random(in: 0...(.max), using: &random),
        payloadLength: Int.random(in: 0..<1 << 26, using: &random), flags: 0)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: snapshots.append((table, model))
      case 1...3:
        guard let handle = model.keys.randomElement(using: &random) else { continue }
        table.remove(handle)
        model[handle] = nil
      case 4:
        guard let handle = model.keys.randomElement(using: &random) else { continue }
        table[handle] = entry
        model[handle] = entry
      case 5 where sequence % 50 == 0:
        let remainder = UInt32.random(in: 0..<9, using: &random)
        table.removeAll { handle, _ in handle % 9 == remainder }
        for handle in model.keys where handle % 9 == remainder { model[handle] = nil }
      case 5 where sequence % 50 == 1:
        table.update { handle, entry in entry.sequence = UInt64(handle) + 1 }
        for handle in model.keys { model[handle]?.sequence = UInt64(handle) + 1 }
      default:
        let handle = table.insert(entry)
        #expect(model[handle] == nil && Int(handle) <= model.count + 2000)
        model[handle] = entry
      }
    }
    for (table, model) in snapshots + [(table, model)] {
      #expect(contents(of: table) == model)
      #expect(table.count == model.count)
    }
  }

  @Test func `handles come back before new ones are made`() {
    var table = RecordTable()
    for sequence in 1...1000 as ClosedRange<UInt64> { _ = table.insert(entry(sequence)) }
    for handle in 0..<1000 as Range<UInt32> { table.remove(handle) }
    for sequence in 1...1000 as ClosedRange<UInt64> { _ = table.insert(entry(sequence)) }
    #expect(table.handleLimit == 1000)
  }

  @Test func `a table read from a file gives out the gaps first`() {
    var table = RecordTable()
    // Handles 0, 2, 4, 6 and 8 are free, and each names the one before.
    let entries: [RecordEntry] = (0..<10).map { handle in
      let isFree = handle % 2 == 0
      return isFree ? RecordEntry.free(next: UInt64(max(0, handle - 1))) : entry(UInt64(handle))
    }
    table.append(LazyPart { .content(ChunkedArray.leaves(entries)) }, count: 10)
    table.restore(count: 5, firstFree: 9)
    #expect(table.count == 5)
    #expect((0..<6).map { _ in table.insert(entry(100)) } == [8, 6, 4, 2, 0, 10])
  }

  @Test func `a list of free handles ends where it runs into a record`() {
    var table = RecordTable()
    let entries: [RecordEntry] = [.free(next: 2), entry(1), .free(next: 1)]
    table.append(LazyPart { .content(ChunkedArray.leaves(entries)) }, count: 3)
    table.restore(count: 1, firstFree: 3)
    #expect((0..<4).map { _ in table.insert(entry(100)) } == [2, 0, 3, 4])
  }

  @Test(arguments: [0, 1, 65_535])
  func `an entry keeps all that it is given`(shard: Int) {
    for offset in [0, 32, RecordEntry.offsetLimit - 32] {
      for length in [0, 5, RecordEntry.payloadLengthLimit - 1] {
        for flags in 0...255 as ClosedRange<UInt8> {
          let entry = RecordEntry(
            sequence: .max, shard: shard, offset: offset, capacity: .max - 31,
            payloadLength: length, flags: flags)
          #expect(entry.shard == shard && entry.offset == offset)
          #expect(entry.payloadLength == length && entry.flags == flags & 0x7E)
          #expect(entry.isDeletion == (flags & 16 != 0) && entry.capacity == .max - 31)
        }
      }
    }
    #expect(MemoryLayout<RecordEntry>.stride == 24)
  }

  @Test func `removing twice is a programming error`() async {
    await #expect(processExitsWith: .failure) {
      var table = RecordTable()
      let handle = table.insert(
        RecordEntry(sequence: 1, shard: 0, offset: 0, capacity: 0, payloadLength: 0, flags: 0))
      table.remove(handle)
      table.remove(handle)
    }
  }

  private func entry(_ sequence: UInt64) -> RecordEntry {
    RecordEntry(
      sequence: sequence, shard: 1, offset: 64, capacity: 32, payloadLength: 3, flags: 0)
  }

  private func contents(of table: RecordTable) -> [UInt32: RecordEntry] {
    var contents: [UInt32: RecordEntry] = [:]
    table.forEach { handle, entry in
      contents[handle] = entry
      return true
    }
    return contents
  }
}
