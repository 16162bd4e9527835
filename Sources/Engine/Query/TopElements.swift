/// The first elements of a sequence in the order of their keys, in bounded memory.
///
/// A heap with the last of them on top, so that one comparison turns away most of what is no
/// better.
package struct TopElements<Element> {
  package let capacity: Int
  private var heap: [(key: [UInt8], element: Element)] = []

  package init(capacity: Int) { self.capacity = max(capacity, 0) }

  package var count: Int { heap.count }

  /// - Complexity: O(log *k*) in the capacity.
  package mutating func insert(_ element: Element, key: [UInt8]) {
    if heap.count < capacity {
      heap.append((key, element))
      siftUp()
    } else if let top = heap.first, key.lexicographicallyPrecedes(top.key) {
      heap[0] = (key, element)
      siftDown()
    }
  }

  /// The elements in order.
  package consuming func sorted() -> [Element] {
    heap.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.element)
  }

  private mutating func siftUp() {
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[parent].key.lexicographicallyPrecedes(heap[child].key) else { return }
      heap.swapAt(parent, child)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var last = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[last].key.lexicographicallyPrecedes(heap[child].key) { last = child }
      }
      if last == parent { return }
      heap.swapAt(parent, last)
      parent = last
    }
  }
}
