extension OrderedIndex {
  /// Builds an index from pairs in ascending order.
  ///
  /// The keys of the run that is being built lie one after the other, whole; what they have in
  /// common is known when the run is closed.
  package struct Builder: Sendable {
    private var runs: [KeyRun] = []
    private var keys: [UInt8] = []
    private var ends: [Int] = []
    private var handles: [UInt32] = []

    /// What the first and the last key begin with, and so all between them.
    private var sharedCount = 0

    package init() {}

    /// Adds a pair that stands behind all others.
    package mutating func append(_ key: [UInt8], _ handle: UInt32) { append(key.span, handle) }

    /// Adds a pair that stands behind all others.
    package mutating func append(_ key: Span<UInt8>, _ handle: UInt32) {
      if let end = ends.last {
        let start = ends.count > 1 ? ends[ends.count - 2] : 0
        let order = ByteOrder.compare(keys.span, start..<end, key, 0..<key.count)
        precondition(
          order < 0 || (order == 0 && handles[handles.count - 1] < handle), "pairs ascend")
        let shared = ByteOrder.commonPrefixCount(keys.span.extracting(0..<sharedCount), key)
        let size = keys.count + key.count - shared * ends.count
        if ends.count >= OrderedIndex.filledRunCount || size > OrderedIndex.runSizeLimit {
          closeRun()
          sharedCount = key.count
        } else {
          sharedCount = shared
        }
      } else {
        sharedCount = key.count
      }
      keys.append(copying: key)
      ends.append(keys.count)
      handles.append(handle)
    }

    package mutating func finish() -> OrderedIndex {
      var index = OrderedIndex()
      index.adopt(finishRuns())
      return index
    }

    /// What was added, as a group: for a part that is read.
    package mutating func finishGroup() -> Group { Group(finishRuns()) }

    mutating func finishRuns() -> [KeyRun] {
      if !ends.isEmpty { closeRun() }
      defer { runs = [] }
      return runs
    }

    private mutating func closeRun() {
      runs.append(
        KeyRun(keys.span, ends: ends.span, handles: handles.span, sharedCount: sharedCount))
      keys.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
      handles.removeAll(keepingCapacity: true)
    }
  }
}
