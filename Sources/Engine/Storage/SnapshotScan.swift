/// Many records at once: sorted by place, and read through a window.
extension StoreSnapshot {
  /// Records that one part of a scan over all is made of.
  private static let partCount = 16 << 10

  /// The versions behind the handles, in the same order, with few reads.
  package func records(
    _ handles: [UInt32]
  ) throws(StorageError) -> [Result<StoredRecord, StorageError>] {
    var records = [Result<StoredRecord, StorageError>](
      repeating: .failure(.corruptedRecord(idKey: [])), count: handles.count)
    let scan = try SlotScan(snapshot: self, handles)
    try scan.run(
      onDamage: { target in records[target.index] = .failure(damage(target.handle)) },
      { target, record in
        records[target.index] = .success(record.copy())
        return true
      })
    return records
  }

  /// Calls the body for the versions behind the handles, in the order of the disk, with the place
  /// in the list of each.
  ///
  /// A record lies in a buffer that is used again: it is not to be kept.
  func scanInPlace(
    _ handles: [UInt32], _ body: (Int, Result<StoredRecord, StorageError>) -> Void
  ) throws(StorageError) {
    let scan = try SlotScan(snapshot: self, handles)
    try scan.run(
      onDamage: { body($0.index, .failure(damage($0.handle))) },
      { target, record in
        body(target.index, .success(record))
        return true
      })
  }

  /// Calls the body for the versions behind the handles, in the order of the disk.
  ///
  /// A version that does not read is reported, and the others go on.
  package func scan(
    _ handles: [UInt32], onDamage: (UInt32, StorageError) -> Void,
    _ body: (UInt32, borrowing RecordView) -> Bool
  ) throws(StorageError) {
    let scan = try SlotScan(snapshot: self, handles)
    try scan.run(
      onDamage: { onDamage($0.handle, damage($0.handle)) }, { body($0.handle, $1.view) })
  }

  /// Calls the body for all records, or those of some shards, about in the order of the disk.
  package func scanAll(
    shardKeys: [String]? = nil, includingDeleted: Bool = false,
    onDamage: (UInt32, StorageError) -> Void,
    _ body: (UInt32, borrowing RecordView) -> Bool
  ) throws(StorageError) {
    let numbers = shardKeys.map { self.numbers(of: $0) }
    var isOver = false
    var first: UInt32 = 0
    while !isOver, Int(first) < image.table.handleLimit {
      let handles = try handles(
        from: &first, shards: numbers, includingDeleted: includingDeleted)
      try scan(handles, onDamage: onDamage) { handle, view in
        isOver = !body(handle, view)
        return !isOver
      }
    }
  }

  /// All handles, or those of one shard.
  package func handles(
    shardKey: String? = nil, includingDeleted: Bool = false
  ) throws(StorageError) -> [UInt32] {
    let numbers = shardKey.map { self.numbers(of: [$0]) }
    var first: UInt32 = 0
    var all: [UInt32] = []
    while Int(first) < image.table.handleLimit {
      all += try handles(from: &first, shards: numbers, includingDeleted: includingDeleted)
    }
    return all
  }

  /// The handles of about so many records, from all over the collection.
  package func sampledHandles(_ count: Int) throws(StorageError) -> [UInt32] {
    let limit = image.table.handleLimit
    guard limit > 0, count > 0 else { return [] }
    let handles = stride(from: 0, to: limit, by: max(1, limit / count)).map { UInt32($0) }
      .filter { image.entry($0).map { !$0.isDeletion } ?? false }
    try image.checkRead()
    return handles
  }

  /// The numbers of the files that hold what has one of the keys.
  private func numbers(of shardKeys: [String]) -> Set<Int> {
    let partitions = Set(shardKeys.map { source.partition($0) })
    return Set(
      shards.compactMap { $0 }.filter { partitions.contains($0.name.partition) }.map(\.number))
  }

  /// The next part of all handles.
  private func handles(
    from first: inout UInt32, shards numbers: Set<Int>?, includingDeleted: Bool
  ) throws(StorageError) -> [UInt32] {
    var handles: [UInt32] = []
    while handles.count < Self.partCount, Int(first) < image.table.handleLimit {
      if let entry = image.entry(first), includingDeleted || !entry.isDeletion,
        numbers?.contains(entry.shard) ?? true
      {
        handles.append(first)
      }
      first += 1
    }
    try image.checkRead()
    return handles
  }

  private func damage(_ handle: UInt32) -> StorageError {
    source.noteUnreadable()
    return .corruptedRecord(idKey: idKey(of: handle) ?? [])
  }
}

/// Reads the slots of some records in the order in which they lie.
struct SlotScan: ~Copyable {
  /// A record and where it lies.
  struct Target {
    var entry: RecordEntry
    var handle: UInt32

    /// Its place in the list that the caller gave.
    var index: Int
  }

  /// Unread bytes between two slots of one window.
  private static let gapSizeLimit: UInt64 = 16 << 10

  private let source: SlotSource
  private let shards: [Shard?]
  private let targets: [Target]

  /// A scan of targets in the order of their places.
  init(source: SlotSource, shards: [Shard?], targets: [Target]) {
    self.source = source
    self.shards = shards
    self.targets = targets
  }

  /// A scan of records of a snapshot.
  init(snapshot: StoreSnapshot, _ handles: [UInt32]) throws(StorageError) {
    var targets: [Target] = []
    targets.reserveCapacity(handles.count)
    for (index, handle) in handles.enumerated() {
      guard let entry = snapshot.image.entry(handle) else { continue }
      targets.append(Target(entry: entry, handle: handle, index: index))
    }
    try snapshot.image.checkRead()
    self.init(
      source: snapshot.source, shards: snapshot.shards, targets: Self.inOrderOfPlaces(targets))
  }

  /// The targets, shard by shard.
  static func inOrderOfPlaces(_ targets: [Target]) -> [Target] {
    targets.sorted { left, right in
      left.entry.shard != right.entry.shard
        ? left.entry.shard < right.entry.shard : left.entry.offset < right.entry.offset
    }
  }

  /// Calls the body for each slot that reads, until it returns `false`.
  ///
  /// The record that it gets lies in a buffer that is used again.
  func run(
    onDamage: (Target) -> Void, _ body: (Target, StoredRecord) -> Bool
  ) throws(StorageError) {
    var window: [UInt8] = []
    var payload: [UInt8] = []
    var first = 0
    while first < targets.count {
      let end = Self.windowEnd(targets, from: first)
      guard let shard = shard(of: targets[first].entry) else {
        for target in targets[first..<end] { onDamage(target) }
        first = end
        continue
      }
      let start = targets[first].entry.offset
      let filled = try fill(
        &window, from: start, to: targets[end - 1].entry.end, of: shard, count: end - first)
      for target in targets[first..<end] {
        let offset = min(Int(target.entry.offset - start), filled)
        switch deliver(target, in: window, offset..<filled, of: shard, payload: &payload, body) {
        case .some(true): break
        case .some(false): return
        case .none: onDamage(target)
        }
      }
      first = end
    }
  }

  private func shard(of entry: RecordEntry) -> Shard? {
    entry.shard < shards.count ? shards[entry.shard] : nil
  }

  /// The end of the targets, from one on, that lie in one window of one shard.
  private static func windowEnd(_ targets: [Target], from first: Int) -> Int {
    guard first < targets.count else { return first }
    let start = targets[first].entry
    var end = first + 1
    while end < targets.count {
      let (last, next) = (targets[end - 1].entry, targets[end].entry)
      guard next.shard == start.shard, next.offset <= last.end + gapSizeLimit,
        next.end - start.offset <= UInt64(StorageLimits.scanWindowSize)
      else { break }
      end += 1
    }
    return end
  }

  private func fill(
    _ window: inout [UInt8], from start: UInt64, to end: UInt64, of shard: Shard, count: Int
  ) throws(StorageError) -> Int {
    let size = Int(end - start)
    if window.count < size {
      window.append(contentsOf: repeatElement(0, count: size - window.count))
    } else {
      window.removeLast(window.count - size)
    }
    let file = try source.file(of: shard, reading: count, size: size)
    var span = window.mutableSpan
    do { return try file.read(into: &span, at: start) } catch { throw .io(error) }
  }

  /// - Returns: What the body says, or `nil` if the slot does not read.
  private func deliver(
    _ target: Target, in window: [UInt8], _ range: Range<Int>, of shard: Shard,
    payload: inout [UInt8], _ body: (Target, StoredRecord) -> Bool
  ) -> Bool? {
    let entry = target.entry
    let place = shard.place(entry.offset)
    guard
      let header = SlotHeader.checked(window.span.extracting(range), entry: entry, at: place)
    else { return nil }
    let start = range.lowerBound + SlotHeader.size
    let stored = start..<start + entry.payloadLength
    let codec = source.codec
    if !codec.isSealing, !header.stamp.flags.isSealed, !header.stamp.flags.isCompressed {
      let bytes = window.span.extracting(stored)
      guard let layout = try? PreludeLayout(bytes, isCompressed: false) else { return nil }
      return body(
        target,
        StoredRecord(stamp: header.stamp, layout: layout, bytes: window, range: stored))
    }
    payload.removeAll(keepingCapacity: true)
    let layout = try? codec.load(
      window.span.extracting(stored), stamp: header.stamp, into: &payload)
    guard let layout else { return nil }
    return body(
      target,
      StoredRecord(
        stamp: header.stamp, layout: layout, bytes: payload, range: payload.indices))
  }
}

extension RecordEntry {
  /// The end of the bytes in use.
  fileprivate var end: UInt64 { offset + UInt64(storedSize) }
}
