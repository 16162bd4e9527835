/// An array whose copies are free, and whose changes after a copy touch a few kilobytes.
///
/// Elements lie in leaves, leaves in groups, groups in the root. A copy shares all of them; the
/// first change to an element afterwards copies its leaf and the two lists above it. A group may
/// be one that is read when it is first touched.
package struct ChunkedArray<Element: Sendable>: Sendable {
  /// Elements of a group: what is read at once.
  package static var groupCount: Int { leafCount * leavesPerGroup }

  static var leafCount: Int { 256 }
  private static var leavesPerGroup: Int { 16 }

  /// Either has all of its leaves, or is a part that is still to be read.
  private struct Group: Sendable {
    var leaves: [[Element]] = []
    var part: LazyPart<[[Element]]>?
    var first: Element?

    var loaded: [[Element]] { part.map(\.content) ?? leaves }
  }

  private var groups: [Group] = []

  package private(set) var count = 0

  package init() {}

  package init(_ elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  package var isEmpty: Bool { count == 0 }

  package subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count, "index out of range")
      let (group, leaf, place) = Self.path(to: index)
      if let part = groups[group].part { return part.content[leaf][place] }
      return groups[group].leaves[leaf][place]
    }
    set {
      precondition(index >= 0 && index < count, "index out of range")
      let (group, leaf, place) = Self.path(to: index)
      load(group)
      groups[group].leaves[leaf][place] = newValue
    }
  }

  package mutating func append(_ element: Element) {
    let (group, leaf, place) = Self.path(to: count)
    if place == 0, leaf == 0 { groups.append(Group()) }
    load(group)
    if place == 0 {
      groups[group].leaves.append([])
      // Only a first, small array grows step by step.
      if count > 0 { groups[group].leaves[leaf].reserveCapacity(Self.leafCount) }
    }
    groups[group].leaves[leaf].append(element)
    count += 1
  }

  package mutating func removeLast() -> Element {
    precondition(count > 0, "nothing to remove")
    count -= 1
    let (group, leaf, place) = Self.path(to: count)
    load(group)
    let element = groups[group].leaves[leaf].removeLast()
    if place == 0 {
      groups[group].leaves.removeLast()
      if leaf == 0 { groups.removeLast() }
    }
    return element
  }

  /// Calls the body for each index and element from `start` on, until it returns `false`.
  package func forEach<Failure: Error>(
    from start: Int = 0, _ body: (Int, Element) throws(Failure) -> Bool
  ) throws(Failure) {
    var index = start
    while index < count {
      let (group, leaf, place) = Self.path(to: index)
      let elements = groups[group].loaded[leaf]
      for offset in place..<elements.count {
        guard try body(index, elements[offset]) else { return }
        index += 1
      }
    }
  }

  /// Lets the body change each element, in their order.
  package mutating func update(_ body: (Int, inout Element) -> Void) {
    var index = 0
    for group in groups.indices {
      load(group)
      for leaf in groups[group].leaves.indices {
        for place in groups[group].leaves[leaf].indices {
          body(index, &groups[group].leaves[leaf][place])
          index += 1
        }
      }
    }
  }

  /// The first index whose element does not come before; the elements that do stand in front.
  ///
  /// - Complexity: O(log *n*); reads at most one group.
  package func partitionIndex(_ isBefore: (Element) -> Bool) -> Int {
    let group = Self.partition(0..<groups.count) { isBefore(first(of: $0)) }
    guard group > 0 else { return 0 }
    let start = (group - 1) * Self.groupCount
    let leaves = groups[group - 1].loaded
    let end = min(count, start + Self.groupCount)
    return Self.partition(start..<end) { index in
      isBefore(leaves[(index - start) / Self.leafCount][index % Self.leafCount])
    }
  }

  private func first(of group: Int) -> Element {
    groups[group].first ?? groups[group].loaded[0][0]
  }

  private static func partition(_ range: Range<Int>, _ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  @inline(__always)
  private static func path(to index: Int) -> (group: Int, leaf: Int, place: Int) {
    (index / groupCount, index % groupCount / leafCount, index % leafCount)
  }
}

/// Groups that are read later.
extension ChunkedArray {
  /// Adds a group behind full ones, with its first element where that is known.
  package mutating func append(_ part: LazyPart<[[Element]]>, count: Int, first: Element?) {
    precondition(self.count % Self.groupCount == 0, "only the last group may be short")
    precondition(count > 0 && count <= Self.groupCount, "a group is neither empty nor too long")
    groups.append(Group(part: part, first: first))
    self.count += count
  }

  /// Elements as a part has them.
  package static func leaves(_ elements: [Element]) -> [[Element]] {
    stride(from: 0, to: elements.count, by: leafCount).map { start in
      Array(elements[start..<Swift.min(elements.count, start + leafCount)])
    }
  }

  /// Reads the group that the next element goes to.
  package func loadEnd() {
    if count % Self.groupCount > 0 { _ = groups.last?.part?.content }
  }

  /// One call for each part that may be still to be read, which reads it.
  var loads: [@Sendable () -> Void] {
    groups.compactMap(\.part).map { part in { _ = part.content } }
  }

  /// Lets go of the parts; all of them are read.
  package mutating func loadAll() {
    for group in groups.indices { load(group) }
  }

  @inline(__always)
  private mutating func load(_ group: Int) {
    if groups[group].part != nil { take(group) }
  }

  @inline(never)
  private mutating func take(_ group: Int) {
    guard let part = groups[group].part else { return }
    groups[group] = Group(leaves: part.content)
  }
}
