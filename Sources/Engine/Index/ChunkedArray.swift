/// An array whose copies are free, and whose changes after a copy touch a few kilobytes.
///
/// Elements lie in leaves, leaves in groups, groups in the root. A copy shares all of them; the
/// first change to an element afterwards copies its leaf and the two lists above it.
package struct ChunkedArray<Element: Sendable>: Sendable {
  private static var leafCount: Int { 256 }
  private static var leavesPerGroup: Int { 64 }
  private static var groupCount: Int { leafCount * leavesPerGroup }

  private var groups: [[[Element]]] = []

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
      return groups[group][leaf][place]
    }
    set {
      precondition(index >= 0 && index < count, "index out of range")
      let (group, leaf, place) = Self.path(to: index)
      groups[group][leaf][place] = newValue
    }
  }

  package mutating func append(_ element: Element) {
    let (group, leaf, place) = Self.path(to: count)
    if place == 0 {
      if leaf == 0 { groups.append([]) }
      groups[group].append([])
      // Only a first, small array grows step by step.
      if count > 0 { groups[group][leaf].reserveCapacity(Self.leafCount) }
    }
    groups[group][leaf].append(element)
    count += 1
  }

  package mutating func removeLast() -> Element {
    precondition(count > 0, "nothing to remove")
    count -= 1
    let (group, leaf, place) = Self.path(to: count)
    let element = groups[group][leaf].removeLast()
    if place == 0 {
      groups[group].removeLast()
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
      let elements = groups[group][leaf]
      for offset in place..<elements.count {
        guard try body(index, elements[offset]) else { return }
        index += 1
      }
    }
  }

  @inline(__always)
  private static func path(to index: Int) -> (group: Int, leaf: Int, place: Int) {
    (index / groupCount, index % groupCount / leafCount, index % leafCount)
  }
}
