/// All that a store knows of its records: what a snapshot copies, in no time.
///
/// - Invariant: A handle in use has one pair in `ids`, also when its entry is a deletion marker,
///   and at most one pair in each index, which is the key of its current version.
struct StoreImage: Sendable {
  var table = RecordTable()
  var ids = OrderedIndex()
  var indexes: [OrderedIndex] = []
  var changes = ChangeIndex()

  /// The last sequence that was given out.
  var lastSequence: UInt64 = 0

  /// Deletions up to this sequence may be forgotten.
  var markerFloor: UInt64 = 0

  /// Records that are not deleted.
  var liveCount = 0

  /// Bytes of the slots that are current, markers included.
  var liveSize: UInt64 = 0

  /// The checkpoint of which parts may still be to be read.
  var origin: CheckpointSource?

  /// Lookups still go through parts, though all of these may be read by now.
  var looksUpInParts = false

  init(indexCount: Int) {
    indexes = Array(repeating: OrderedIndex(), count: indexCount)
  }

  func entry(_ idKey: Span<UInt8>) -> RecordEntry? {
    guard let handle = ids.first(idKey) else { return nil }
    let entry = table[handle]
    return entry.sequence == 0 ? nil : entry
  }

  /// The entry behind a handle that may come from a file.
  func entry(_ handle: UInt32) -> RecordEntry? {
    guard Int(handle) < table.handleLimit else { return nil }
    let entry = table[handle]
    return entry.sequence == 0 ? nil : entry
  }
}

/// A version that lies in a slot, on its way into a ``StoreImage``.
struct PlacedVersion: Sendable {
  var entry: RecordEntry
  var idKey: [UInt8]

  /// One key for each index; empty for a deletion.
  var keys: [[UInt8]?]

  /// The keys of the version before; `nil` if they cannot be known.
  var previousKeys: [[UInt8]?]?

  init(entry: RecordEntry, idKey: [UInt8], keys: [[UInt8]?], previousKeys: [[UInt8]?]?) {
    self.entry = entry
    self.idKey = idKey
    self.keys = keys
    self.previousKeys = previousKeys
  }
}

/// A slot that another version has replaced.
struct DeadSlot: Equatable, Sendable {
  var shard: UInt16
  var capacity: UInt32
  var offset: UInt64

  /// The sequence that the slot was written under.
  var born: UInt64

  /// The sequence that replaced it: snapshots from `born` up to here still need the slot.
  var died: UInt64

  init(_ entry: RecordEntry, died: UInt64) {
    shard = UInt16(entry.shard)
    capacity = entry.capacity
    offset = entry.offset
    born = entry.sequence
    self.died = died
  }

  init(_ slot: FreeSlot, died: UInt64) {
    shard = slot.shard
    capacity = slot.capacity
    offset = slot.offset
    born = slot.sequence
    self.died = died
  }

  var slot: FreeSlot {
    FreeSlot(shard: shard, capacity: capacity, offset: offset, sequence: born)
  }
}

/// Replay and live writes meet here, so that recovery cannot drift away from them.
extension StoreImage {
  /// Makes the versions, in ascending order of sequence, the current ones.
  ///
  /// A version that is older than what the image has counts as replaced.
  ///
  /// - Returns: The slots that are needed no more.
  mutating func apply(_ versions: [PlacedVersion]) -> [DeadSlot] {
    var dead: [DeadSlot] = []
    if versions.count == 1 {
      apply(versions[0], &dead)
    } else {
      applyMerged(versions, &dead)
    }
    if let last = versions.last { lastSequence = max(lastSequence, last.entry.sequence) }
    changes.sweep(table)
    return dead
  }

  private mutating func apply(_ version: PlacedVersion, _ dead: inout [DeadSlot]) {
    let handle: UInt32
    if let known = ids.first(version.idKey) {
      let replaced = replace(known, with: version, &dead)
      guard replaced != .nothing else { return }
      if replaced == .document { removeKeys(of: known, version) }
      handle = known
    } else {
      handle = add(version.entry)
      ids.insert(version.idKey, handle)
    }
    for (index, key) in version.keys.enumerated() {
      if let key { indexes[index].insert(key, handle) }
    }
    changes.append(version.entry.sequence, handle)
  }

  /// As one by one, but each index sees all of its new pairs at once.
  private mutating func applyMerged(_ versions: [PlacedVersion], _ dead: inout [DeadSlot]) {
    var handles = [UInt32?](repeating: nil, count: versions.count)
    var idPairs: [OrderedIndex.Pair] = []
    var stalePairs = [[OrderedIndex.Pair]](repeating: [], count: indexes.count)
    let order = Self.order(versions)
    idPairs.reserveCapacity(versions.count)
    for (place, index) in order.enumerated() {
      if place + 1 < order.count, versions[order[place + 1]].idKey == versions[index].idKey {
        supersede(index, by: order[place + 1], versions, &dead)
      } else if let handle = ids.first(versions[index].idKey) {
        let version = replacing(place, order, versions)
        let replaced = replace(handle, with: version, &dead)
        if replaced == .document { note(&stalePairs, of: handle, version) }
        if replaced != .nothing { handles[index] = handle }
      } else {
        let handle = add(versions[index].entry)
        idPairs.append(OrderedIndex.Pair(versions[index].idKey, handle))
        handles[index] = handle
      }
    }
    merge(idPairs, stalePairs, versions, handles)
    for (index, handle) in handles.enumerated() {
      if let handle { changes.append(versions[index].entry.sequence, handle) }
    }
  }

  /// The versions' places by id, and by sequence where the id is the same.
  private static func order(_ versions: [PlacedVersion]) -> [Int] {
    let shared = KeyHead.sharedCount(versions.indices) { versions[$0].idKey }
    let heads = versions.indices.map { index in
      (head: KeyHead(versions[index].idKey, from: shared), index: index)
    }
    return heads.sorted { left, right in
      if left.head != right.head { return left.head < right.head }
      if left.head.isWhole { return left.index < right.index }
      let order = ByteOrder.compare(versions[left.index].idKey, versions[right.index].idKey)
      return order != 0 ? order < 0 : left.index < right.index
    }.map(\.index)
  }

  private func supersede(
    _ index: Int, by next: Int, _ versions: [PlacedVersion], _ dead: inout [DeadSlot]
  ) {
    let (old, new) = (versions[index].entry, versions[next].entry)
    guard old.shard != new.shard || old.offset != new.offset else { return }
    dead.append(DeadSlot(old, died: new.sequence))
  }

  /// The version, with the keys that the image has for its id: those that the first of several
  /// versions in the batch replaces.
  private func replacing(
    _ place: Int, _ order: [Int], _ versions: [PlacedVersion]
  ) -> PlacedVersion {
    var version = versions[order[place]]
    var first = place
    while first > 0, versions[order[first - 1]].idKey == version.idKey { first -= 1 }
    if first < place { version.previousKeys = versions[order[first]].previousKeys }
    return version
  }

  /// Puts the new pairs into all indexes, one core for each of a long batch.
  private mutating func merge(
    _ idPairs: [OrderedIndex.Pair], _ stalePairs: [[OrderedIndex.Pair]],
    _ versions: [PlacedVersion], _ handles: [UInt32?]
  ) {
    let all = [ids] + indexes
    let isLong = versions.count >= Spread.partCountMinimum
    let merged = Spread.parts(of: all.indices, minimum: isLong ? 1 : all.count) { part in
      part.map { number in
        var index = all[number]
        if number == 0 {
          index.merge(idPairs)
        } else {
          index.remove(OrderedIndex.sorted(stalePairs[number - 1]))
          index.merge(Self.pairs(of: number - 1, versions, handles))
        }
        return index
      }
    }
    var rest = merged.joined().makeIterator()
    if let next = rest.next() { ids = next }
    indexes = Array(rest)
  }

  /// The keys of the versions in an index, in its order.
  private static func pairs(
    of index: Int, _ versions: [PlacedVersion], _ handles: [UInt32?]
  ) -> [OrderedIndex.Pair] {
    var pairs: [OrderedIndex.Pair] = []
    pairs.reserveCapacity(handles.count)
    for (place, handle) in handles.enumerated() {
      guard let handle, index < versions[place].keys.count,
        let key = versions[place].keys[index]
      else { continue }
      pairs.append(OrderedIndex.Pair(key, handle))
    }
    return OrderedIndex.sorted(pairs)
  }

  private mutating func add(_ entry: RecordEntry) -> UInt32 {
    if !entry.isDeletion { liveCount += 1 }
    liveSize += entry.slotSize
    return table.insert(entry)
  }

  /// What a version has taken the place of.
  private enum Replaced {
    /// It is older than what is there.
    case nothing
    case deletion

    /// Something whose keys are in the indexes.
    case document
  }

  /// Puts the version in the place of the current one, whose keys stay in the indexes.
  private mutating func replace(
    _ handle: UInt32, with version: PlacedVersion, _ dead: inout [DeadSlot]
  ) -> Replaced {
    let (old, new) = (table[handle], version.entry)
    guard old.sequence < new.sequence else {
      let isSameSlot = old.shard == new.shard && old.offset == new.offset
      if !isSameSlot { dead.append(DeadSlot(new, died: old.sequence)) }
      return .nothing
    }
    dead.append(DeadSlot(old, died: new.sequence))
    if !old.isDeletion { liveCount -= 1 }
    if !new.isDeletion { liveCount += 1 }
    liveSize = liveSize - min(liveSize, old.slotSize) + new.slotSize
    table[handle] = new
    return old.isDeletion || indexes.isEmpty ? .deletion : .document
  }

  /// Takes out the keys that the version does not have again.
  private mutating func removeKeys(of handle: UInt32, _ version: PlacedVersion) {
    guard version.previousKeys != nil else { return removeAllKeys(of: handle) }
    version.forEachStaleKey { indexes[$0].remove($1, handle) }
  }

  /// Notes the keys that the version does not have again; keys that nobody knows go at once.
  private mutating func note(
    _ stalePairs: inout [[OrderedIndex.Pair]], of handle: UInt32, _ version: PlacedVersion
  ) {
    guard version.previousKeys != nil else { return removeAllKeys(of: handle) }
    version.forEachStaleKey { stalePairs[$0].append(OrderedIndex.Pair($1, handle)) }
  }

  /// Takes out the keys of a record that nobody knows, since it does not read.
  ///
  /// - Complexity: O(*n*)
  private mutating func removeAllKeys(of handle: UInt32) {
    for index in indexes.indices { indexes[index].removeAll { $0 == handle } }
  }
}

extension PlacedVersion {
  /// Calls the body for the keys that the version before had and this one does not have.
  fileprivate func forEachStaleKey(_ body: (Int, [UInt8]) -> Void) {
    for (index, key) in (previousKeys ?? []).enumerated() {
      guard let key, keys.isEmpty || keys[index] != key else { continue }
      body(index, key)
    }
  }
}

extension RecordEntry {
  /// Bytes of the slot, header included.
  var slotSize: UInt64 { UInt64(SlotHeader.size) + UInt64(capacity) }
}
