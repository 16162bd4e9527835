/// An image of which parts are still to be read.
extension StoreImage {
  /// Whether a lookup of an id may read.
  var isPartialForLookups: Bool { origin?.isPartialForLookups ?? false }

  /// Lets go of the parts that lookups need, once all of them are read: from then on nothing
  /// stands between a lookup and its answer.
  mutating func adoptLookups() {
    guard looksUpInParts, !isPartialForLookups else { return }
    ids.loadAll()
    table.loadAll()
    looksUpInParts = false
  }

  /// What was found counts only if all parts that it was found in do read.
  func checkRead() throws(StorageError) { try origin?.check() }

  /// Reads what a write of the record will touch, so that nothing is read while it is applied.
  func load(_ idKey: [UInt8], keys: [[UInt8]?], previousKeys: [[UInt8]?]?) {
    let known = ids.first(idKey)
    if let known { _ = table[known] }
    let handle = known ?? table.nextHandle
    for keys in [keys, previousKeys ?? []] {
      for case (let index, let key?) in zip(indexes, keys) { _ = index.contains(key, handle) }
    }
  }

  /// Reads what new records and changes will be added to.
  func loadEnds(for count: Int) {
    table.loadEnd(for: count)
    changes.loadEnd()
  }

  /// Parts of the table, the ids and the indexes.
  private var loads: [@Sendable () -> Void] {
    table.loads + ids.loads + indexes.flatMap(\.loads)
  }

  /// Makes sure that the parts of table, ids and indexes are read that so many writes will touch.
  ///
  /// Many writes touch nearly all, which are read on all cores; few find theirs by themselves.
  func loadParts(for count: Int) {
    let loads = loads
    guard count >= loads.count / 2 else { return }
    _ = Spread.parts(of: loads.indices, minimum: 4) { part in
      for load in loads[part] { load() }
    }
  }

  /// Reads all parts, and lets go of the file if all of them did read.
  mutating func loadAll() {
    guard let origin else { return }
    loadParts(for: .max)
    table.loadAll()
    ids.loadAll()
    for index in indexes.indices { indexes[index].loadAll() }
    changes.loadAll()
    if origin.failure == nil { self.origin = nil }
  }

  /// Whether the counts are those of the table, and the ids name each record once.
  ///
  /// - Complexity: O(*n*)
  var isConsistent: Bool {
    var (count, liveCount, liveSize) = (0, 0, UInt64(0))
    var highest: UInt64 = 0
    table.forEach { _, entry in
      count += 1
      if !entry.isDeletion { liveCount += 1 }
      liveSize &+= entry.slotSize
      highest = max(highest, entry.sequence)
      return true
    }
    guard count == table.count, count == ids.count, liveCount == self.liveCount,
      liveSize == self.liveSize, highest <= lastSequence,
      changes.entries(after: 0, in: table).count == count
    else { return false }
    return namesEachOnce(ids) && indexes.allSatisfy(namesEachOnce)
  }

  private func namesEachOnce(_ index: OrderedIndex) -> Bool {
    var isSeen = [Bool](repeating: false, count: table.handleLimit)
    var cursor = index.cursor()
    while let handle = cursor.next() {
      guard entry(handle) != nil, !isSeen[Int(handle)] else { return false }
      isSeen[Int(handle)] = true
    }
    return true
  }
}
