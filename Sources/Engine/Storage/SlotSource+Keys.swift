import Synchronization

/// The index keys of many versions at once.
extension SlotSource {
  /// Unread bytes between two slots that are read together.
  private static let gapSizeLimit: UInt64 = 16 << 10

  /// The keys of versions, none for a deletion, and `nil` for what does not read.
  ///
  /// The slots are read in the order of the disk, on all cores.
  func keys(
    of entries: [RecordEntry], _ extractKeys: StoreConfiguration.KeyExtractor
  ) -> [[[UInt8]?]?] {
    let order = entries.indices.sorted { left, right in
      let (left, right) = (entries[left], entries[right])
      return left.shard != right.shard ? left.shard < right.shard : left.offset < right.offset
    }
    let shards = state.withLock { $0.shards }
    let parts = Spread.parts(of: order.indices) { part in
      var keys: [[[UInt8]?]?] = []
      keys.reserveCapacity(part.count)
      var rest = order[part].map { entries[$0] }[...]
      while !rest.isEmpty {
        let window = Self.window(rest)
        keys += windowKeys(rest[window], shards, extractKeys)
        rest = rest[window.upperBound...]
      }
      return keys
    }
    var all = [[[UInt8]?]?](repeating: nil, count: entries.count)
    for (place, keys) in zip(order, parts.joined()) { all[place] = keys }
    return all
  }

  /// The entries from the first on whose slots lie close together in one shard.
  private static func window(_ entries: ArraySlice<RecordEntry>) -> Range<Int> {
    let first = entries[entries.startIndex]
    var end = entries.startIndex + 1
    while end < entries.endIndex {
      let (last, next) = (entries[end - 1], entries[end])
      guard next.shard == first.shard, next.offset <= last.storedEnd + gapSizeLimit,
        next.storedEnd - first.offset <= UInt64(StorageLimits.scanWindowSize / 8)
      else { break }
      end += 1
    }
    return entries.startIndex..<end
  }

  private func windowKeys(
    _ entries: ArraySlice<RecordEntry>, _ shards: [Shard?],
    _ extractKeys: StoreConfiguration.KeyExtractor
  ) -> [[[UInt8]?]?] {
    let none = [[[UInt8]?]?](repeating: nil, count: entries.count)
    guard let first = entries.first, let last = entries.last, first.shard < shards.count,
      let shard = shards[first.shard]
    else { return none }
    let bytes: [UInt8]
    do {
      let size = Int(last.storedEnd - first.offset)
      let file = try self.file(of: shard, reading: entries.count, size: size)
      bytes = try file.read(size, at: first.offset)
    } catch {
      return none
    }
    var keys: [[[UInt8]?]?] = []
    keys.reserveCapacity(entries.count)
    for entry in entries {
      let start = min(bytes.count, Int(entry.offset - first.offset))
      let slot = bytes.span.extracting(start..<min(bytes.count, start + entry.storedSize))
      keys.append(self.keys(in: slot, of: entry, at: shard.place(entry.offset), extractKeys))
    }
    return keys
  }

  private func keys(
    in slot: Span<UInt8>, of entry: RecordEntry, at place: SlotPlace,
    _ extractKeys: StoreConfiguration.KeyExtractor
  ) -> [[UInt8]?]? {
    guard let header = SlotHeader.checked(slot, entry: entry, at: place) else { return nil }
    if entry.isDeletion { return [] }
    let stored = slot.extracting(SlotHeader.size..<slot.count)
    let flags = header.stamp.flags
    // What does not open has keys that nobody knows, whatever the reason.
    if !codec.isSealing, !flags.isSealed, !flags.isCompressed {
      guard let layout = try? PreludeLayout(stored, isCompressed: false) else { return nil }
      return extractKeys(stored, layout)
    }
    var payload: [UInt8] = []
    guard let layout = try? codec.load(stored, stamp: header.stamp, into: &payload) else {
      return nil
    }
    return extractKeys(payload.span, layout)
  }
}

extension RecordEntry {
  /// The end of the bytes in use.
  fileprivate var storedEnd: UInt64 { offset + UInt64(storedSize) }
}
