import NyaruEngine
import TestSupport
import Testing

@Suite struct ChangeIndexTests {
  @Test(arguments: 0..<8)
  func `agrees with a dictionary that knows each record's last sequence`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = RecordTable()
    var changes = ChangeIndex()
    var model: [UInt32: UInt64] = [:]
    var sequence: UInt64 = 0
    for _ in 0..<6000 {
      sequence += UInt64.random(in: 1...3, using: &random)
      let entry = RecordEntry(
        sequence: sequence, shard: 0, offset: 0, capacity: 32, payloadLength: 1, flags: 0)
      if model.count > 50, Bool.random(using: &random) {
        let handle = random.pick(Array(model.keys))
        if Bool.random(using: &random) {
          table.remove(handle)
          model[handle] = nil
          continue
        }
        table[handle] = entry
        model[handle] = sequence
        changes.append(sequence, handle)
      } else {
        let handle = table.insert(entry)
        model[handle] = sequence
        changes.append(sequence, handle)
      }
      changes.sweep(table)
      #expect(changes.count < 1024 || changes.count * 3 <= table.count * 4 + 3)
    }
    let all = model.map { ChangeIndex.Entry(sequence: $1, handle: $0) }
      .sorted { $0.sequence < $1.sequence }
    for _ in 0..<50 {
      let first = UInt64.random(in: 0...sequence, using: &random)
      let last = UInt64.random(in: first...sequence + 1, using: &random)
      let expected = all.filter { $0.sequence > first && $0.sequence <= last }
      #expect(changes.entries(after: first, through: last, in: table) == expected)
      #expect(
        changes.entries(after: first, in: table, limit: 2)
          == Array(all.filter { $0.sequence > first }.prefix(2)))
    }
  }

  @Test func `sequences only ascend`() async {
    await #expect(processExitsWith: .failure) {
      var changes = ChangeIndex()
      changes.append(2, 0)
      changes.append(2, 1)
    }
  }
}
