/// A few hundred (key, handle) pairs in order: a leaf of an ``OrderedIndex``, or its signposts.
///
/// The bytes that all keys begin with are stored once, in front; then follows what is left of
/// each key. Pairs are ordered by key, then by handle, and no pair is there twice.
struct KeyRun: Sendable {
  /// A pair, without its key's bytes.
  struct Entry: Sendable {
    var handle: UInt32

    /// Where the key's bytes end.
    var end: UInt32

    /// The key's first four bytes behind the common ones, which decide most comparisons.
    var head: UInt32
  }

  private(set) var bytes: [UInt8] = []
  private(set) var entries: [Entry] = []
  private(set) var prefixCount = 0

  init() {}

  /// The entries with the heads that their bytes give.
  init(bytes: [UInt8], entries: [Entry], prefixCount: Int) {
    self.bytes = bytes
    self.entries = entries
    self.prefixCount = prefixCount
    let span = bytes.span
    var start = prefixCount
    for index in entries.indices {
      let end = Int(entries[index].end)
      self.entries[index].head = ByteOrder.head(of: span.extracting(0..<end), from: start)
      start = end
    }
  }

  /// Keys in order, one after the other, all of which begin with as many common bytes.
  init(
    _ keys: Span<UInt8>, ends: Span<Int>, handles: Span<UInt32>, sharedCount: Int
  ) {
    prefixCount = sharedCount
    entries.reserveCapacity(ends.count)
    bytes.reserveCapacity(keys.count - sharedCount * (ends.count - 1))
    bytes.append(copying: keys.extracting(0..<sharedCount))
    var start = 0
    for index in ends.indices {
      let rest = start + sharedCount..<ends[index]
      bytes.append(copying: keys.extracting(rest))
      let head = ByteOrder.head(of: keys.extracting(rest), from: 0)
      entries.append(Entry(handle: handles[index], end: UInt32(bytes.count), head: head))
      start = ends[index]
    }
  }

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }
  var size: Int { bytes.count }

  /// The bytes that the run takes with the headers of its arrays.
  var memorySize: Int {
    MemoryLayout<KeyRun>.stride + 64 + bytes.capacity
      + entries.capacity * MemoryLayout<Entry>.stride
  }

  func handle(at index: Int) -> UInt32 { entries[index].handle }

  /// The whole key.
  func key(at index: Int) -> [UInt8] {
    var key: [UInt8] = []
    appendKey(at: index, to: &key)
    return key
  }

  func appendKey(at index: Int, to key: inout [UInt8]) {
    let range = range(at: index)
    key.reserveCapacity(key.count + prefixCount + range.count)
    key.append(contentsOf: bytes[0..<prefixCount])
    key.append(contentsOf: bytes[range])
  }

  /// The first index whose pair is not before (`key`, `handle`); `count` if all are.
  ///
  /// A handle beyond 32 bits stands behind all pairs with the key.
  /// All pairs before `start` are known to be before it.
  func firstIndex(notBefore key: Span<UInt8>, _ handle: UInt64, from start: Int = 0) -> Int {
    let bytes = bytes.span
    let entries = entries.span
    let shared = min(prefixCount, key.count)
    let order = ByteOrder.compare(bytes, 0..<shared, key, 0..<shared)
    if order != 0 { return order < 0 ? entries.count : start }
    if key.count < prefixCount { return start }

    let rest = prefixCount..<key.count
    let head = ByteOrder.head(of: key, from: prefixCount)
    var low = start
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      let entry = entries[middle]
      let isBefore: Bool
      if entry.head != head {
        isBefore = entry.head < head
      } else {
        let start = middle == 0 ? prefixCount : Int(entries[middle - 1].end)
        let end = Int(entry.end)
        // What has no more bytes than the heads differs in its length only.
        let order =
          max(end - start, rest.count) <= 4
          ? end - start - rest.count : ByteOrder.compare(bytes, start..<end, key, rest)
        isBefore = order < 0 || (order == 0 && UInt64(entry.handle) < handle)
      }
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether each pair stands behind the one before.
  var isAscending: Bool {
    let (bytes, entries) = (bytes.span, entries.span)
    for index in entries.indices.dropFirst() {
      let (last, next) = (entries[index - 1], entries[index])
      if last.head < next.head { continue }
      guard last.head == next.head else { return false }
      let order = ByteOrder.compare(
        bytes, (index > 1 ? Int(entries[index - 2].end) : prefixCount)..<Int(last.end),
        bytes, Int(last.end)..<Int(next.end))
      guard order < 0 || (order == 0 && last.handle < next.handle) else { return false }
    }
    return true
  }

  /// Whether the pair at the index, if there is one, has this key.
  func hasKey(_ key: Span<UInt8>, at index: Int) -> Bool {
    guard index < count else { return false }
    let range = range(at: index)
    guard prefixCount + range.count == key.count else { return false }
    let bytes = bytes.span
    return ByteOrder.compare(bytes, range, key, prefixCount..<key.count) == 0
      && ByteOrder.compare(bytes, 0..<prefixCount, key, 0..<prefixCount) == 0
  }

  /// The size with one more pair: a key that begins otherwise makes all others longer.
  func size(adding key: Span<UInt8>) -> Int {
    if isEmpty { return key.count }
    let shared = sharedPrefixCount(with: key)
    return size + (prefixCount - shared) * (count - 1) + key.count - shared
  }

  /// The size with the other run's pairs, all of which stand behind.
  func size(adding other: KeyRun) -> Int {
    if isEmpty || other.isEmpty { return size + other.size }
    let shared = min(other.prefixCount, sharedPrefixCount(with: other.key(at: 0).span))
    return shared + size - prefixCount + (prefixCount - shared) * count
      + other.size - other.prefixCount + (other.prefixCount - shared) * other.count
  }
}

extension KeyRun {
  /// Puts the pair where the caller has found its place.
  mutating func insert(_ key: [UInt8], _ handle: UInt32, at index: Int) {
    if isEmpty {
      bytes = key
      prefixCount = key.count
      entries.append(Entry(handle: handle, end: UInt32(key.count), head: 0))
      return
    }
    let shared = sharedPrefixCount(with: key.span)
    if shared < prefixCount { self = reencoded(0..<count, prefixCount: shared) }
    let start = index == 0 ? prefixCount : Int(entries[index - 1].end)
    let added = key.count - prefixCount
    if added > 0 { bytes.insert(contentsOf: key[prefixCount...], at: start) }
    let head = ByteOrder.head(of: key.span, from: prefixCount)
    entries.insert(Entry(handle: handle, end: UInt32(start + added), head: head), at: index)
    if added > 0 { moveEnds(from: index + 1, by: added) }
  }

  mutating func remove(at index: Int) {
    let range = range(at: index)
    bytes.removeSubrange(range)
    entries.remove(at: index)
    moveEnds(from: index, by: -range.count)
  }

  /// Adds the pair behind all others.
  mutating func append(_ key: [UInt8], _ handle: UInt32) {
    insert(key, handle, at: count)
  }

  /// Adds the other run's pairs, all of which stand behind.
  mutating func append(_ other: KeyRun) {
    guard !isEmpty, !other.isEmpty else {
      if isEmpty { self = other }
      return
    }
    let shared = min(other.prefixCount, sharedPrefixCount(with: other.key(at: 0).span))
    if shared < prefixCount { self = reencoded(0..<count, prefixCount: shared) }
    let moved = other.reencoded(0..<other.count, prefixCount: prefixCount)
    let shift = bytes.count - prefixCount
    bytes.append(contentsOf: moved.bytes[prefixCount...])
    entries.reserveCapacity(count + moved.count)
    for var entry in moved.entries {
      entry.end = UInt32(Int(entry.end) + shift)
      entries.append(entry)
    }
  }

  /// A run without pairs, with the prefix of another and room for more.
  init(prefixOf other: KeyRun, count: Int, size: Int) {
    prefixCount = other.prefixCount
    bytes.reserveCapacity(size)
    entries.reserveCapacity(count)
    bytes.append(copying: other.bytes.span.extracting(0..<prefixCount))
  }

  /// Adds some pairs of a run with the same prefix, behind all others.
  mutating func append(_ other: KeyRun, _ range: Range<Int>) {
    guard let last = range.last else { return }
    let start = other.range(at: range.lowerBound).lowerBound
    let end = Int(other.entries[last].end)
    let shift = UInt32(truncatingIfNeeded: bytes.count - start)
    bytes.append(copying: other.bytes.span.extracting(start..<end))
    let added = entries.count
    entries.append(contentsOf: other.entries[range])
    for index in added..<entries.count { entries[index].end &+= shift }
  }

  /// Adds a pair behind all others, given its key's bytes behind the prefix.
  mutating func append(rest: Span<UInt8>, _ handle: UInt32) {
    bytes.append(copying: rest)
    let head = ByteOrder.head(of: rest, from: 0)
    entries.append(Entry(handle: handle, end: UInt32(bytes.count), head: head))
  }

  /// Cuts off the pairs from the index on, and returns them.
  mutating func split(at index: Int) -> KeyRun {
    let tail = tightened(index..<count)
    self = tightened(0..<index)
    return tail
  }

  /// Takes no more memory than necessary.
  mutating func tighten() { self = tightened(0..<count) }

  /// The pairs, with as long a common prefix as they have.
  func tightened(_ range: Range<Int>) -> KeyRun {
    guard let first = range.first, let last = range.last else { return KeyRun() }
    let bytes = bytes.span
    let shared = ByteOrder.commonPrefixCount(
      bytes.extracting(self.range(at: first)), bytes.extracting(self.range(at: last)))
    return reencoded(range, prefixCount: prefixCount + shared)
  }

  /// The pairs, with the first `newCount` bytes of their keys, in which they agree, as prefix.
  func reencoded(_ range: Range<Int>, prefixCount newCount: Int) -> KeyRun {
    var run = KeyRun()
    guard let first = range.first, let last = range.last else { return run }
    let firstStart = self.range(at: first).lowerBound
    let size = Int(entries[last].end) - firstStart
    run.prefixCount = newCount
    run.entries.reserveCapacity(range.count)
    run.bytes.reserveCapacity(newCount + size + (prefixCount - newCount) * range.count)
    let (bytes, entries) = (bytes.span, entries.span)
    run.bytes.append(copying: bytes.extracting(0..<min(newCount, prefixCount)))
    let skipped = max(0, newCount - prefixCount)
    run.bytes.append(copying: bytes.extracting(firstStart..<firstStart + skipped))
    var ownStart = firstStart
    for index in range {
      let ownEnd = Int(entries[index].end)
      let start = run.bytes.count
      if newCount < prefixCount {
        run.bytes.append(copying: bytes.extracting(newCount..<prefixCount))
      }
      run.bytes.append(copying: bytes.extracting(ownStart + skipped..<ownEnd))
      let head = ByteOrder.head(of: run.bytes.span, from: start)
      let end = UInt32(run.bytes.count)
      run.entries.append(Entry(handle: entries[index].handle, end: end, head: head))
      ownStart = ownEnd
    }
    return run
  }

  /// Where the key's own bytes lie.
  func range(at index: Int) -> Range<Int> {
    let start = index == 0 ? prefixCount : Int(entries[index - 1].end)
    return start..<Int(entries[index].end)
  }

  func sharedPrefixCount(with key: Span<UInt8>) -> Int {
    ByteOrder.commonPrefixCount(bytes.span.extracting(0..<prefixCount), key)
  }

  private mutating func moveEnds(from index: Int, by distance: Int) {
    guard distance != 0 else { return }
    let wrapped = UInt32(truncatingIfNeeded: distance)
    for place in index..<entries.count { entries[place].end &+= wrapped }
  }
}
