import NyaruEngine
import Testing

@Suite struct RecoveredRunTests {
  private typealias Slot = RecoveredRun.Slot

  private func singles(_ sequences: some Sequence<UInt64>) -> [RecoveredRun.Slot] {
    sequences.map { Slot(sequence: $0) }
  }

  private func batch(_ first: UInt64, count: UInt32) -> [RecoveredRun.Slot] {
    (0..<count).map {
      Slot(sequence: first + UInt64($0), batchIndex: $0, batchCount: count)
    }
  }

  private func run(
    _ slots: [RecoveredRun.Slot], durable: UInt64 = 9, keepsGaps: Bool = false
  ) -> RecoveredRun {
    RecoveredRun(slots: slots, start: 10, durable: durable, keepsGaps: keepsGaps)
  }

  @Test(arguments: [true, false])
  func `nothing behind a checkpoint is nothing lost`(keepsGaps: Bool) {
    let run = run([], keepsGaps: keepsGaps)
    #expect(run.end == 10 && run.gaps == [])
  }

  @Test func `a power cut takes what stands behind a gap`() {
    let run = run(singles([10, 11, 13, 14]))
    #expect(run.end == 12 && run.gaps == [])
  }

  @Test func `a gap among durable sequences is damage, and what follows counts`() {
    let run = run(singles([10, 13, 14, 16]), durable: 13)
    #expect(run.end == 15 && run.gaps == [11..<13])
  }

  @Test func `within one run of the kernel a gap is damage`() {
    let run = run(singles([10, 11, 14]), keepsGaps: true)
    #expect(run.end == 15 && run.gaps == [12..<14])
  }

  @Test(arguments: [true, false])
  func `a batch is in it whole or not at all`(keepsGaps: Bool) {
    let slots = singles([10, 11]) + batch(12, count: 3)
    #expect(run(slots, keepsGaps: keepsGaps).end == 15)
    #expect(run(slots.dropLast(), keepsGaps: keepsGaps).end == 12)
    #expect(run(slots.filter { $0.sequence != 12 }, keepsGaps: keepsGaps).end == 12)
  }

  @Test func `a torn slot ends the last batch, a damaged one costs itself`() {
    var slots = batch(10, count: 2)
    slots[1].isIntact = false
    #expect(run(slots, keepsGaps: true).end == 12)
    #expect(run(slots, keepsGaps: true).gaps == [11..<12])
    slots[1].isTorn = true
    #expect(run(slots, keepsGaps: true).end == 10)
    #expect(run(slots, keepsGaps: true).gaps == [])
  }

  @Test func `a copy that reads counts beside one that does not`() {
    let slots = [Slot(sequence: 10, isIntact: false), Slot(sequence: 10), Slot(sequence: 11)]
    #expect(run(slots).end == 12)
    #expect(run(slots.reversed()).end == 12)
  }
}
