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
    var found: [UInt64: Slot] = [:]
    for slot in slots where slot.sequence >= start {
      if let other = found[slot.sequence], other.isIntact { continue }
      found[slot.sequence] = slot
    }
    let base = max(start, durable + 1)
    if keepsGaps {
      end = Self.end(found, base: base)
    } else {
      end = Self.contiguousEnd(found, base: base)
    }
    gaps = Self.gaps(found, start..<max(start, end))
  }

  /// Behind the last batch of which everything is there, if only as damage.
  private static func end(_ found: [UInt64: Slot], base: UInt64) -> UInt64 {
    guard let last = found.values.max(by: { $0.sequence < $1.sequence }) else { return base }
    let first = last.sequence - min(last.sequence, UInt64(last.batchIndex))
    let isWhole =
      last.batchIndex + 1 == last.batchCount
      && (first...last.sequence).allSatisfy { sequence in
        found[sequence].map { $0.isIntact || !$0.isTorn } ?? false
      }
    return max(base, isWhole ? last.sequence + 1 : first)
  }

  /// Behind the last whole batch before the first gap.
  private static func contiguousEnd(_ found: [UInt64: Slot], base: UInt64) -> UInt64 {
    var end = base
    while let slot = found[end], slot.isIntact {
      let next = end + UInt64(slot.batchCount - slot.batchIndex)
      guard (end..<next).allSatisfy({ found[$0]?.isIntact ?? false }) else { break }
      end = next
    }
    return end
  }

  private static func gaps(
    _ found: [UInt64: Slot], _ range: Range<UInt64>
  ) -> [Range<UInt64>] {
    let present = found.values.filter { $0.isIntact && range.contains($0.sequence) }
      .map(\.sequence).sorted()
    var gaps: [Range<UInt64>] = []
    var next = range.lowerBound
    for sequence in present {
      if next < sequence { gaps.append(next..<sequence) }
      next = sequence + 1
    }
    if next < range.upperBound { gaps.append(next..<range.upperBound) }
    return gaps
  }
}
