/// Which of the sequences behind a checkpoint count after a crash: a choice, without any I/O.
///
/// - What was durable counts, and what is missing of it is damage.
/// - After a power cut the rest counts as far as it has no gap, and ends with a whole batch:
///   what stands behind a gap is newer than something that was lost.
/// - Within one run of the kernel nothing is lost but the batch that was being written, so there
///   a gap is damage, too.
package struct RecoveredRun: Equatable {
  /// A slot as it was found; retired slots count.
  package struct Slot: Equatable {
    package var sequence: UInt64
    package var batchIndex: UInt32
    package var batchCount: UInt32
    package var isIntact: Bool

    /// The file ends inside the slot: its write was not finished.
    package var isTorn: Bool

    package init(
      sequence: UInt64, batchIndex: UInt32 = 0, batchCount: UInt32 = 1, isIntact: Bool = true,
      isTorn: Bool = false
    ) {
      self.sequence = sequence
      self.batchIndex = batchIndex
      self.batchCount = batchCount
      self.isIntact = isIntact
      self.isTorn = isTorn
    }
  }

  /// The first sequence that does not count.
  package var end: UInt64

  /// Sequences below the end of which no intact slot was found.
  package var gaps: [Range<UInt64>]

  /// - Parameters:
  ///   - slots: What was found, in any order, from `start` on.
  ///   - start: The checkpoint's next sequence, or the one behind the durable ones.
  ///   - durable: Everything up to here was durable.
  ///   - keepsGaps: Whether the kernel ran on, so that gaps are damage.
  package init(slots: [Slot], start: UInt64, durable: UInt64, keepsGaps: Bool) {
    let found = Self.best(slots, from: start)
    let base = max(start, durable + 1)
    if keepsGaps {
      end = Self.end(found, base: base)
    } else {
      end = Self.contiguousEnd(found, base: base)
    }
    gaps = Self.gaps(found, start..<max(start, end))
  }

  /// One slot for each sequence, ascending; an intact one if there is any.
  private static func best(_ slots: [Slot], from start: UInt64) -> [Slot] {
    let isAscending = zip(slots, slots.dropFirst()).allSatisfy { $0.sequence < $1.sequence }
    if isAscending { return Array(slots.drop { $0.sequence < start }) }
    var found: [Slot] = []
    let sorted = slots.enumerated().sorted { left, right in
      left.element.sequence != right.element.sequence
        ? left.element.sequence < right.element.sequence : left.offset < right.offset
    }
    for (_, slot) in sorted where slot.sequence >= start {
      if let last = found.last, last.sequence == slot.sequence {
        if !last.isIntact { found[found.count - 1] = slot }
      } else {
        found.append(slot)
      }
    }
    return found
  }

  /// Behind the last batch of which everything is there, if only as damage.
  private static func end(_ found: [Slot], base: UInt64) -> UInt64 {
    guard let last = found.last else { return base }
    let first = last.sequence - min(last.sequence, UInt64(last.batchIndex))
    let batch = found[index(of: first, in: found)...]
    let isWhole =
      last.batchIndex + 1 == last.batchCount && UInt64(batch.count) == last.sequence - first + 1
      && batch.allSatisfy { $0.isIntact || !$0.isTorn }
    return max(base, isWhole ? last.sequence + 1 : first)
  }

  /// Behind the last whole batch before the first gap.
  private static func contiguousEnd(_ found: [Slot], base: UInt64) -> UInt64 {
    var end = base
    var place = index(of: base, in: found)
    while place < found.count, found[place].sequence == end, found[place].isIntact {
      let count = Int(found[place].batchCount - found[place].batchIndex)
      guard place + count <= found.count else { break }
      let batch = found[place..<place + count]
      let next = end + UInt64(count)
      guard batch.last?.sequence == next - 1, batch.allSatisfy(\.isIntact) else { break }
      end = next
      place += count
    }
    return end
  }

  private static func gaps(_ found: [Slot], _ range: Range<UInt64>) -> [Range<UInt64>] {
    var gaps: [Range<UInt64>] = []
    var next = range.lowerBound
    for slot in found where slot.isIntact && range.contains(slot.sequence) {
      if next < slot.sequence { gaps.append(next..<slot.sequence) }
      next = slot.sequence + 1
    }
    if next < range.upperBound { gaps.append(next..<range.upperBound) }
    return gaps
  }

  /// The first place whose slot has the sequence or a higher one.
  private static func index(of sequence: UInt64, in found: [Slot]) -> Int {
    var (low, high) = (0, found.count)
    while low < high {
      let middle = (low + high) / 2
      if found[middle].sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
