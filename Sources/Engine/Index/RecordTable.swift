/// All records of a collection by handle: the one place that knows where a record lies.
///
/// A handle stays the same while its record lives, and is given out again afterwards. Free
/// entries have sequence 0 and form a list through the table itself.
package struct RecordTable: Sendable {
  private var entries = ChunkedArray<RecordEntry>()

  /// The handle of the first free entry and one more, or 0.
  package private(set) var firstFree: UInt64 = 0

  /// How many records there are, deletion markers included.
  package private(set) var count = 0

  package init() {}

  /// One more than the highest handle that was ever given out.
  package var handleLimit: Int { entries.count }

  /// The handle that the next record gets.
  package var nextHandle: UInt32 { firstFree != 0 ? UInt32(firstFree - 1) : UInt32(handleLimit) }

  /// The entry of a handle in use or free.
  package subscript(handle: UInt32) -> RecordEntry {
    get { entries[Int(handle)] }
    set {
      precondition(newValue.sequence != 0, "freeing is another call")
      entries[Int(handle)] = newValue
    }
  }

  /// Gives the record a handle.
  package mutating func insert(_ entry: RecordEntry) -> UInt32 {
    precondition(entry.sequence != 0, "sequence 0 marks what is free")
    count += 1
    if let handle = takeFree() {
      entries[Int(handle)] = entry
      return handle
    }
    precondition(entries.count < Int(UInt32.max), "handles take 32 bits")
    entries.append(entry)
    return UInt32(entries.count - 1)
  }

  /// Takes the record out, and its handle back.
  package mutating func remove(_ handle: UInt32) {
    precondition(entries[Int(handle)].sequence != 0, "the handle is free")
    count -= 1
    entries[Int(handle)] = .free(next: firstFree)
    firstFree = UInt64(handle) + 1
  }

  /// Calls the body for each record, by ascending handle, until it returns `false`.
  package func forEach<Failure: Error>(
    _ body: (UInt32, RecordEntry) throws(Failure) -> Bool
  ) throws(Failure) {
    try entries.forEach { (index, entry) throws(Failure) in
      if entry.sequence == 0 { return true }
      return try body(UInt32(index), entry)
    }
  }
}

extension RecordTable {
  /// Calls the body for each handle of a range, in use or free.
  package func forEachHandle(_ range: Range<Int>, _ body: (UInt32, RecordEntry) -> Void) {
    entries.forEach(from: range.lowerBound) { index, entry in
      guard index < range.upperBound else { return false }
      body(UInt32(index), entry)
      return true
    }
  }
}

/// Changes that go through all of it.
extension RecordTable {
  /// Takes out the records of which the body says so, and their handles back.
  package mutating func removeAll(where isGone: (UInt32, RecordEntry) -> Bool) {
    var (firstFree, count) = (firstFree, count)
    entries.update { index, entry in
      guard entry.sequence != 0, isGone(UInt32(index), entry) else { return }
      entry = .free(next: firstFree)
      firstFree = UInt64(index) + 1
      count -= 1
    }
    (self.firstFree, self.count) = (firstFree, count)
  }

  /// Lets the body change the entry of each record; it must not free any.
  package mutating func update(_ body: (UInt32, inout RecordEntry) -> Void) {
    entries.update { index, entry in
      guard entry.sequence != 0 else { return }
      body(UInt32(index), &entry)
      precondition(entry.sequence != 0, "freeing is another call")
    }
  }
}

/// A table that is read part by part.
extension RecordTable {
  package static let partCount = ChunkedArray<RecordEntry>.groupCount

  /// Entries of a part that lie in one list.
  static let leafCount = ChunkedArray<RecordEntry>.leafCount

  /// Adds entries behind full parts.
  package mutating func append(_ part: LazyPart<[[RecordEntry]]>, count: Int) {
    entries.append(part, count: count, first: nil)
  }

  /// What the parts do not say by themselves: how many records there are, and which entry is the
  /// first free one.
  package mutating func restore(count: Int, firstFree: UInt64) {
    precondition(count <= handleLimit && firstFree <= UInt64(handleLimit), "a list in the table")
    self.count = count
    self.firstFree = firstFree
  }

  /// Reads the parts that the next records go to.
  package func loadEnd(for count: Int) {
    var next = firstFree
    for _ in 0..<count {
      guard next != 0 else { return entries.loadEnd() }
      let entry = entries[Int(next - 1)]
      next = entry.sequence == 0 ? entry.nextFree : 0
    }
  }

  /// One call for each part that may be still to be read, which reads it.
  var loads: [@Sendable () -> Void] { entries.loads }

  package mutating func loadAll() { entries.loadAll() }

  /// A list that runs into a record was not ours; then it ends there.
  private mutating func takeFree() -> UInt32? {
    guard firstFree != 0 else { return nil }
    let handle = UInt32(firstFree - 1)
    let entry = entries[Int(handle)]
    firstFree = entry.sequence == 0 ? entry.nextFree : 0
    return entry.sequence == 0 ? handle : nil
  }
}

extension RecordEntry {
  /// The entry of a handle that is not in use, with the next such handle and one more, or 0.
  package static func free(next: UInt64) -> RecordEntry {
    RecordEntry(
      sequence: 0, shard: 0, offset: next * 32, capacity: 0, payloadLength: 0, flags: 0)
  }

  package var nextFree: UInt64 { offset / 32 }
}
