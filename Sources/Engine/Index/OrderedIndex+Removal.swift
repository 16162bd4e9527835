extension OrderedIndex {
  /// Takes out the pairs of all handles of which the body says so.
  ///
  /// - Complexity: O(*n*)
  package mutating func removeAll(where isGone: (UInt32) -> Bool) {
    var runs: [KeyRun] = []
    for group in groups {
      for run in group.loaded.runs {
        let rest = run.removingAll(where: isGone)
        if rest.isEmpty { continue }
        if let last = runs.indices.last, runs[last].hasRoom(for: rest) {
          runs[last].append(rest)
        } else {
          runs.append(rest)
        }
      }
    }
    adopt(runs)
  }
}

extension KeyRun {
  /// The pairs of the other handles, with the same common prefix.
  fileprivate func removingAll(where isGone: (UInt32) -> Bool) -> KeyRun {
    guard entries.contains(where: { isGone($0.handle) }) else { return self }
    var kept: [Entry] = []
    var rest: [UInt8] = []
    rest.reserveCapacity(bytes.count)
    rest.append(copying: bytes.span.extracting(0..<prefixCount))
    var start = prefixCount
    for var entry in entries {
      let end = Int(entry.end)
      if !isGone(entry.handle) {
        rest.append(copying: bytes.span.extracting(start..<end))
        entry.end = UInt32(rest.count)
        kept.append(entry)
      }
      start = end
    }
    return KeyRun(bytes: rest, entries: kept, prefixCount: prefixCount)
  }
}
