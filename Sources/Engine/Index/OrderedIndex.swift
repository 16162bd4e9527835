/// Pairs of key bytes and record handles, ordered by key and then by handle.
///
/// Three levels: runs of at most 256 pairs, groups of at most 64 runs, and the list of groups.
/// A copy is free; the first change after it copies a run and the two lists above it. A key that
/// many records share is stored once per run. A group may be one that is read when it is first
/// touched.
///
/// - Invariant: A child's signpost is not behind its first pair, and behind all pairs of the child
///   before. No run and no group is empty.
package struct OrderedIndex: Sendable {
  /// A key and the handle of a record that has it.
  package struct Pair: Equatable, Sendable {
    package var key: [UInt8]
    package var handle: UInt32

    package init(_ key: [UInt8], _ handle: UInt32) {
      self.key = key
      self.handle = handle
    }
  }

  /// Neighbouring runs, with a signpost to each.
  package struct Group: Sendable {
    var signposts = KeyRun()
    var runs: [KeyRun] = []
    var count = 0

    /// Where the group is to be read; then it has no runs of its own.
    var part: LazyPart<Group>?
  }

  /// No key may be longer; what belongs to a longer value is cut off by the caller.
  package static let keySizeLimit = 4096

  static let runCountLimit = 256

  /// Pairs of a run that is filled at once, with room for what comes between.
  static let filledRunCount = runCountLimit * 7 / 8
  static let runSizeLimit = 16 << 10
  static let groupCountLimit = 64

  var signposts = KeyRun()
  var groups: [Group] = []

  /// How many pairs there are.
  package internal(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// About how many bytes of memory the index takes.
  ///
  /// - Complexity: O(*n*) in the number of runs.
  package var memorySize: Int {
    groups.reduce(signposts.memorySize) { size, group in
      group.runs.reduce(size + group.signposts.memorySize) { $0 + $1.memorySize }
    }
  }

  /// The lowest handle that the key has.
  ///
  /// - Complexity: O(log *n*), without an allocation.
  package func first(_ key: [UInt8]) -> UInt32? { first(key.span) }

  /// The lowest handle that the key has.
  package func first(_ key: Span<UInt8>) -> UInt32? {
    let place = place(of: key, 0)
    guard place.group < groups.count else { return nil }
    if let part = groups[place.group].part {
      return part.content.runs[place.run].handle(of: key, at: place.entry)
    }
    return groups[place.group].runs[place.run].handle(of: key, at: place.entry)
  }

  package func contains(_ key: [UInt8], _ handle: UInt32) -> Bool {
    let place = place(of: key.span, UInt64(handle))
    guard place.group < groups.count else { return false }
    let run = groups[place.group].loaded.runs[place.run]
    return run.hasKey(key.span, at: place.entry) && run.handle(at: place.entry) == handle
  }

  /// Adds the pair; `false` if it is there already.
  ///
  /// - Complexity: O(log *n*) and the size of a run.
  @discardableResult
  package mutating func insert(_ key: [UInt8], _ handle: UInt32) -> Bool {
    precondition(key.count <= Self.keySizeLimit, "the caller cuts keys off")
    guard !groups.isEmpty else {
      adopt([KeyRun(key, handle)])
      return true
    }
    let group = group(of: key.span, UInt64(handle))
    load(group)
    let run = groups[group].run(of: key.span, UInt64(handle))
    let index = groups[group].runs[run].firstIndex(notBefore: key.span, UInt64(handle))
    if groups[group].runs[run].hasPair(key.span, handle, at: index) { return false }
    count += 1
    groups[group].count += 1
    let runCount = groups[group].runs[run].count
    if index == runCount, !groups[group].runs[run].hasRoom(for: key) {
      insertBehind(run, of: group, key, handle)
    } else if index == 0, groups[group].runs[run].size(adding: key.span) > Self.runSizeLimit {
      groups[group].moveSignpost(to: run)
      groups[group].insert(KeyRun(key, handle), at: run)
    } else {
      groups[group].runs[run].insert(key, handle, at: index)
      if groups[group].runs[run].isOverfull { split(run, of: group) }
    }
    if groups[group].runs.count > Self.groupCountLimit { split(group) }
    return true
  }

  /// Takes the pair out; `false` if it is not there.
  ///
  /// - Complexity: O(log *n*) and the size of a run.
  @discardableResult
  package mutating func remove(_ key: [UInt8], _ handle: UInt32) -> Bool {
    guard !groups.isEmpty else { return false }
    let group = group(of: key.span, UInt64(handle))
    load(group)
    let run = groups[group].run(of: key.span, UInt64(handle))
    let index = groups[group].runs[run].firstIndex(notBefore: key.span, UInt64(handle))
    guard groups[group].runs[run].hasPair(key.span, handle, at: index) else { return false }
    count -= 1
    groups[group].count -= 1
    groups[group].runs[run].remove(at: index)
    if groups[group].runs[run].count < Self.runCountLimit / 4 { unite(run, of: group) }
    return true
  }

  @inline(__always)
  mutating func load(_ group: Int) {
    if let part = groups[group].part { groups[group] = part.content }
  }

  /// The group in which a pair lies or would lie.
  func group(of key: Span<UInt8>, _ handle: UInt64) -> Int {
    max(0, signposts.firstIndex(notBefore: key, handle + 1) - 1)
  }

  /// Makes the runs the whole content.
  mutating func adopt(_ runs: [KeyRun]) {
    self = OrderedIndex()
    var start = 0
    while start < runs.count {
      // Groups that are filled at once leave room for what comes between.
      let end = min(runs.count, start + Self.groupCountLimit * 3 / 4)
      let group = Group(Array(runs[start..<end]))
      signposts.append(group.signposts.key(at: 0), group.signposts.handle(at: 0))
      groups.append(group)
      count += group.count
      start = end
    }
  }
}

extension OrderedIndex {
  /// Puts the pair behind a full run: in front of the next one if that has room, else between.
  private mutating func insertBehind(
    _ run: Int, of group: Int, _ key: [UInt8], _ handle: UInt32
  ) {
    let next = run + 1
    if next < groups[group].runs.count, groups[group].runs[next].isHalfEmpty(for: key) {
      groups[group].runs[next].insert(key, handle, at: 0)
      groups[group].moveSignpost(to: next)
    } else {
      // Little more comes into the full run, and so it gives back what growing has left.
      groups[group].runs[run].tighten()
      groups[group].insert(KeyRun(key, handle), at: next)
    }
  }

  private mutating func split(_ run: Int, of group: Int) {
    let tail = groups[group].runs[run].split(at: groups[group].runs[run].count / 2)
    groups[group].insert(tail, at: run + 1)
  }

  private mutating func split(_ group: Int) {
    let runs = groups[group].runs
    // Keys that ascend leave full groups behind.
    let isLast = group == groups.count - 1
    let middle = isLast ? runs.count * 3 / 4 : runs.count / 2
    let tail = Group(Array(runs[middle...]))
    signposts.insert(tail.signposts.key(at: 0), tail.signposts.handle(at: 0), at: group + 1)
    groups[group] = Group(Array(runs[..<middle]))
    groups.insert(tail, at: group + 1)
  }

  /// Joins a run that has become small with a neighbour that has room; drops an empty one.
  mutating func unite(_ run: Int, of group: Int) {
    if groups[group].runs[run].isEmpty {
      groups[group].runs.remove(at: run)
      groups[group].signposts.remove(at: run)
    } else {
      for left in [run, run - 1] where left >= 0 && left + 1 < groups[group].runs.count {
        let right = groups[group].runs[left + 1]
        guard groups[group].runs[left].hasRoom(for: right) else { continue }
        groups[group].runs[left].append(right)
        groups[group].runs.remove(at: left + 1)
        groups[group].signposts.remove(at: left + 1)
        break
      }
    }
    if groups[group].runs.count < Self.groupCountLimit / 4 { unite(group) }
  }

  private mutating func unite(_ group: Int) {
    if groups[group].runs.isEmpty {
      groups.remove(at: group)
      signposts.remove(at: group)
      return
    }
    for left in [group, group - 1] where left >= 0 && left + 1 < groups.count {
      // What nobody has touched is not read for this.
      guard groups[left].part == nil, groups[left + 1].part == nil else { continue }
      let runs = groups[left].runs + groups[left + 1].runs
      guard runs.count <= Self.groupCountLimit * 3 / 4 else { continue }
      groups[left] = Group(runs)
      groups.remove(at: left + 1)
      signposts.remove(at: left + 1)
      return
    }
  }
}

/// Groups that are read later.
extension OrderedIndex {
  /// Adds a group behind all others, whose first pair and count are known.
  package mutating func append(_ part: LazyPart<Group>, count: Int, first: Pair) {
    precondition(count > 0, "no group is empty")
    var group = Group()
    group.count = count
    group.part = part
    signposts.append(first.key, first.handle)
    groups.append(group)
    self.count += count
  }

  /// One call for each part that may be still to be read, which reads it.
  var loads: [@Sendable () -> Void] {
    groups.compactMap(\.part).map { part in { _ = part.content } }
  }

  /// Lets go of the parts; all of them are read.
  package mutating func loadAll() {
    for group in groups.indices { load(group) }
  }
}

extension OrderedIndex.Group {
  /// What stands for a group that does not read.
  package init(standIn pair: OrderedIndex.Pair, count: Int) {
    self.init([KeyRun(pair.key, pair.handle)])
    self.count = count
  }

  /// The group with its runs.
  var loaded: OrderedIndex.Group { part.map(\.content) ?? self }

  init(_ runs: [KeyRun]) {
    self.runs = runs
    for run in runs {
      signposts.append(run.key(at: 0), run.handle(at: 0))
      count += run.count
    }
  }

  /// The run in which a pair lies or would lie.
  func run(of key: Span<UInt8>, _ handle: UInt64) -> Int {
    max(0, signposts.firstIndex(notBefore: key, handle + 1) - 1)
  }

  /// Makes the run's first pair its signpost.
  mutating func moveSignpost(to run: Int) {
    signposts.remove(at: run)
    signposts.insert(runs[run].key(at: 0), runs[run].handle(at: 0), at: run)
  }

  /// Adds a run whose pairs are counted already.
  mutating func insert(_ run: KeyRun, at index: Int) {
    signposts.insert(run.key(at: 0), run.handle(at: 0), at: index)
    runs.insert(run, at: index)
  }
}

extension KeyRun {
  init(_ key: [UInt8], _ handle: UInt32) {
    self.init()
    append(key, handle)
  }

  fileprivate func handle(of key: Span<UInt8>, at index: Int) -> UInt32? {
    hasKey(key, at: index) ? handle(at: index) : nil
  }

  func hasPair(_ key: Span<UInt8>, _ handle: UInt32, at index: Int) -> Bool {
    hasKey(key, at: index) && self.handle(at: index) == handle
  }

  var isOverfull: Bool {
    count > OrderedIndex.runCountLimit || (size > OrderedIndex.runSizeLimit && count > 3)
  }

  /// Whether the pair fits behind all others.
  fileprivate func hasRoom(for key: [UInt8]) -> Bool {
    count < OrderedIndex.runCountLimit
      && (count < 3 || size(adding: key.span) <= OrderedIndex.runSizeLimit)
  }

  fileprivate func isHalfEmpty(for key: [UInt8]) -> Bool {
    count <= OrderedIndex.runCountLimit / 2
      && size(adding: key.span) <= OrderedIndex.runSizeLimit / 2
  }

  func hasRoom(for other: KeyRun) -> Bool {
    count + other.count <= OrderedIndex.runCountLimit * 3 / 4
      && size(adding: other) <= OrderedIndex.runSizeLimit * 3 / 4
  }
}
