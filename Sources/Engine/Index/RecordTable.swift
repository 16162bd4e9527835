/// All records of a collection by handle: the one place that knows where a record lies.
///
/// A handle stays the same while its record lives, and is given out again afterwards. Free
/// entries have sequence 0 and form a list through the table itself.
package struct RecordTable: Sendable {
  private var entries = ChunkedArray<RecordEntry>()

  /// The handle of the first free entry and one more, or 0.
  private var firstFree: UInt64 = 0

  /// How many records there are, deletion markers included.
  package private(set) var count = 0

  package init() {}

  /// One more than the highest handle that was ever given out.
  package var handleLimit: Int { entries.count }

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
    if firstFree != 0 {
      let handle = UInt32(firstFree - 1)
      firstFree = entries[Int(handle)].offset / 32
      entries[Int(handle)] = entry
      return handle
    }
    precondition(entries.count < Int(UInt32.max), "handles take 32 bits")
    entries.append(entry)
    return UInt32(entries.count - 1)
  }

  /// Gives the next handle to a record that had it before, or to none: a table read from a file.
  package mutating func append(restoring entry: RecordEntry?) {
    precondition(entries.count < Int(UInt32.max), "handles take 32 bits")
    guard let entry else {
      entries.append(.free(next: firstFree))
      firstFree = UInt64(entries.count)
      return
    }
    precondition(entry.sequence != 0, "sequence 0 marks what is free")
    entries.append(entry)
    count += 1
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

extension RecordEntry {
  /// The entry of a handle that is not in use.
  fileprivate static func free(next: UInt64) -> RecordEntry {
    RecordEntry(
      sequence: 0, shard: 0, offset: next * 32, capacity: 0, payloadLength: 0, flags: 0)
  }
}
