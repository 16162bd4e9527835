/// Many pairs at once.
extension KeyRun {
  /// The run with more pairs, which ascend; those that it has already change nothing.
  ///
  /// - Complexity: O(*n* + *m* log *n*) for *m* pairs, with two allocations. The result may be
  ///   longer than a run should be, see ``pieces()``.
  func merging(_ pairs: ArraySlice<OrderedIndex.Pair>) -> KeyRun {
    guard let first = pairs.first, let last = pairs.last, !isEmpty else {
      var run = self
      for pair in pairs { run.append(pair.key, pair.handle) }
      return run
    }
    // What the first and the last key begin with, all between them do.
    let shared = min(
      sharedPrefixCount(with: first.key.span), sharedPrefixCount(with: last.key.span))
    let old = shared < prefixCount ? reencoded(0..<count, prefixCount: shared) : self
    var size = old.size
    for index in pairs.indices { size += pairs[index].key.count - shared }
    var merged = KeyRun(prefixOf: old, count: count + pairs.count, size: size)
    var next = 0
    for index in pairs.indices {
      let key = pairs[index].key
      let handle = pairs[index].handle
      let end = old.firstIndex(notBefore: key.span, UInt64(handle), from: next)
      merged.append(old, next..<end)
      next = end
      if old.hasPair(key.span, handle, at: next) { continue }
      merged.append(rest: key.span.extracting(shared..<key.count), handle)
    }
    merged.append(old, next..<old.count)
    return merged
  }

  /// The run without some pairs, which ascend; those that it does not have change nothing.
  func removing(_ pairs: ArraySlice<OrderedIndex.Pair>) -> KeyRun {
    var kept = KeyRun(prefixOf: self, count: count, size: size)
    var next = 0
    for index in pairs.indices {
      let key = pairs[index].key
      let place = firstIndex(notBefore: key.span, UInt64(pairs[index].handle), from: next)
      guard hasPair(key.span, pairs[index].handle, at: place) else { continue }
      kept.append(self, next..<place)
      next = place + 1
    }
    kept.append(self, next..<count)
    return kept
  }

  /// The pairs as runs that are not overfull, with room for what comes between.
  func pieces() -> [KeyRun] {
    let countLimit = OrderedIndex.filledRunCount
    var pieces: [KeyRun] = []
    var start = 0
    while start < count {
      var end = min(count, start + countLimit)
      if size > OrderedIndex.runSizeLimit {
        let begin = range(at: start).lowerBound - prefixCount
        end = start + 1
        while end < min(count, start + countLimit),
          Int(entries[end].end) - begin <= OrderedIndex.runSizeLimit
        {
          end += 1
        }
      }
      pieces.append(tightened(start..<end))
      start = end
    }
    return pieces
  }
}
