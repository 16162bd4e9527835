import Synchronization

/// The index keys of many versions at once.
extension SlotSource {
  /// The keys of versions, none for a deletion, and `nil` for what does not read.
  ///
  /// The slots are read in the order of the disk, on all cores.
  func keys(
    of entries: [RecordEntry], _ extractKeys: StoreConfiguration.KeyExtractor
  ) throws(StorageError) -> [[[UInt8]?]?] {
    let targets = SlotScan.inOrderOfPlaces(
      entries.enumerated().map { SlotScan.Target(entry: $1, handle: 0, index: $0) })
    let shards = state.withLock { $0.shards }
    let parts = try Spread.parts(of: targets.indices) { (part) throws(StorageError) in
      var found: [(index: Int, keys: [[UInt8]?])] = []
      found.reserveCapacity(part.count)
      let scan = SlotScan(source: self, shards: shards, targets: Array(targets[part]))
      // What does not open has keys that nobody knows, whatever the reason.
      try scan.run(
        onDamage: { _ in },
        { target, record in
          let keys = record.isDeletion ? [] : extractKeys(record.payload, record.layout)
          found.append((target.index, keys))
          return true
        })
      return found
    }
    var all = [[[UInt8]?]?](repeating: nil, count: entries.count)
    for (index, keys) in parts.joined() { all[index] = keys }
    return all
  }
}
