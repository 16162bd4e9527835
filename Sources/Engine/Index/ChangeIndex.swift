/// Which record was written under which sequence, in ascending order.
///
/// Writing a record again makes its earlier entry dead, and leaves it where it is: an entry is
/// live only if the record table has its sequence. ``sweep(_:)`` drops the dead ones, once they
/// are a quarter.
package struct ChangeIndex: Sendable {
  /// A record that was written and not written again.
  package struct Entry: Equatable, Sendable {
    package let sequence: UInt64
    package let handle: UInt32

    package init(sequence: UInt64, handle: UInt32) {
      self.sequence = sequence
      self.handle = handle
    }
  }

  /// Fewer entries than this are not worth sweeping.
  private static let sweepCountMinimum = 1024

  private var sequences = ChunkedArray<UInt64>()
  private var handles = ChunkedArray<UInt32>()

  package init() {}

  /// How many entries there are, dead ones included.
  package var count: Int { sequences.count }

  /// The sequence must be higher than all before.
  package mutating func append(_ sequence: UInt64, _ handle: UInt32) {
    precondition(
      sequences.isEmpty || sequences[sequences.count - 1] < sequence, "sequences ascend")
    sequences.append(sequence)
    handles.append(handle)
  }

  /// Calls the body for each live entry after a sequence, ascending, until it returns `false`.
  ///
  /// - Complexity: O(log *n*) and the entries passed.
  package func forEach<Failure: Error>(
    after sequence: UInt64, in table: RecordTable,
    _ body: (Entry) throws(Failure) -> Bool
  ) throws(Failure) {
    try sequences.forEach(from: firstIndex(after: sequence)) { (index, sequence) throws(Failure) in
      let handle = handles[index]
      guard table[handle].sequence == sequence else { return true }
      return try body(Entry(sequence: sequence, handle: handle))
    }
  }

  /// The live entries after one sequence and up to another, ascending, at most `limit` of them.
  package func entries(
    after first: UInt64, through last: UInt64 = .max, in table: RecordTable, limit: Int = .max
  ) -> [Entry] {
    var entries: [Entry] = []
    forEach(after: first, in: table) { entry in
      guard entry.sequence <= last, entries.count < limit else { return false }
      entries.append(entry)
      return true
    }
    return entries
  }

  /// Drops the dead entries, if they are more than a quarter.
  ///
  /// - Complexity: O(1), or O(*n*) every *n* / 4 changes.
  package mutating func sweep(_ table: RecordTable) {
    guard count >= Self.sweepCountMinimum, (count - table.count) * 4 > count else { return }
    var swept = ChangeIndex()
    forEach(after: 0, in: table) { entry in
      swept.append(entry.sequence, entry.handle)
      return true
    }
    self = swept
  }

  private func firstIndex(after sequence: UInt64) -> Int {
    sequences.partitionIndex { $0 <= sequence }
  }
}

/// Entries that are read later.
extension ChangeIndex {
  package static let partCount = ChunkedArray<UInt64>.groupCount

  /// Adds entries behind full parts; both lists read the same bytes.
  package mutating func append(
    sequences: LazyPart<[[UInt64]]>, handles: LazyPart<[[UInt32]]>, count: Int, first: UInt64
  ) {
    self.sequences.append(sequences, count: count, first: first)
    self.handles.append(handles, count: count, first: nil)
  }

  /// Reads the part that the next entry goes to.
  package func loadEnd() {
    sequences.loadEnd()
    handles.loadEnd()
  }

  package mutating func loadAll() {
    sequences.loadAll()
    handles.loadAll()
  }
}
