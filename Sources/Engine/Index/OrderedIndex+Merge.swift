extension OrderedIndex {
  /// An index of pairs in ascending order.
  package init(sorted pairs: some Sequence<Pair>) {
    var builder = Builder()
    for pair in pairs { builder.append(pair.key, pair.handle) }
    self = builder.finish()
  }

  /// Adds pairs in ascending order, none of them twice.
  ///
  /// Pairs that the index has already change nothing.
  ///
  /// - Complexity: O(*m* log *n*) for *m* pairs, and O(*m*) where they lie close together.
  package mutating func merge(_ pairs: [Pair]) {
    if isEmpty {
      self = OrderedIndex(sorted: pairs)
      return
    }
    var start = 0
    while start < pairs.count {
      let (group, run, end) = place(of: pairs, from: start)
      if end - start == 1 {
        insert(pairs[start].key, pairs[start].handle)
      } else {
        merge(pairs[start..<end], into: run, of: group)
      }
      start = end
    }
  }

  /// Takes out pairs in ascending order; those that are not there change nothing.
  ///
  /// - Complexity: as ``merge(_:)``.
  package mutating func remove(_ pairs: [Pair]) {
    var start = 0
    while start < pairs.count, !groups.isEmpty {
      let (group, run, end) = place(of: pairs, from: start)
      let kept = groups[group].runs[run].removing(pairs[start..<end])
      let removed = groups[group].runs[run].count - kept.count
      start = end
      guard removed > 0 else { continue }
      count -= removed
      groups[group].count -= removed
      groups[group].runs[run] = kept
      if kept.count < Self.runCountLimit / 4 { unite(run, of: group) }
    }
  }

  /// The run in which the next of the pairs lies or would lie, read if need be, and the first pair
  /// that does not belong there.
  private mutating func place(
    of pairs: [Pair], from start: Int
  ) -> (group: Int, run: Int, end: Int) {
    let (key, handle) = (pairs[start].key, UInt64(pairs[start].handle))
    let group = group(of: key.span, handle)
    load(group)
    let run = groups[group].run(of: key.span, handle)
    return (group, run, firstIndex(in: pairs, from: start, behind: run, of: group))
  }

  /// The first of the pairs that does not belong into the run.
  private func firstIndex(
    in pairs: [Pair], from start: Int, behind run: Int, of group: Int
  ) -> Int {
    let post: Pair
    if run + 1 < groups[group].runs.count {
      post = groups[group].signposts.pair(at: run + 1)
    } else if group + 1 < groups.count {
      post = signposts.pair(at: group + 1)
    } else {
      return pairs.count
    }
    var low = start + 1
    var high = pairs.count
    while low < high {
      let middle = (low + high) / 2
      if pairs[middle].isBefore(post) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func merge(_ pairs: ArraySlice<Pair>, into run: Int, of group: Int) {
    let old = groups[group].runs[run]
    let merged = old.merging(pairs)
    let added = merged.count - old.count
    guard added > 0 else { return }
    count += added
    if merged.isOverfull {
      replace(run, of: group, with: merged.pieces())
    } else {
      groups[group].count += added
      groups[group].runs[run] = merged
    }
  }

  private mutating func replace(_ run: Int, of group: Int, with runs: [KeyRun]) {
    if groups[group].runs.count + runs.count - 1 <= Self.groupCountLimit {
      groups[group].replace(run, with: runs)
      return
    }
    var all = groups[group].runs
    all.replaceSubrange(run...run, with: runs)
    var fresh: [Group] = []
    let groupCount = all.count > Self.groupCountLimit ? Self.groupCountLimit * 3 / 4 : all.count
    for start in stride(from: 0, to: all.count, by: groupCount) {
      fresh.append(Group(Array(all[start..<min(all.count, start + groupCount)])))
    }
    groups.replaceSubrange(group...group, with: fresh)
    for (offset, added) in fresh.enumerated().dropFirst() {
      let post = added.signposts.pair(at: 0)
      signposts.insert(post.key, post.handle, at: group + offset)
    }
  }
}

extension OrderedIndex.Group {
  /// Puts runs in the place of one; the first begins where that one did, or before.
  fileprivate mutating func replace(_ run: Int, with fresh: [KeyRun]) {
    count -= runs[run].count
    runs.replaceSubrange(run...run, with: fresh)
    for (offset, added) in fresh.enumerated() {
      count += added.count
      if offset > 0 { signposts.insert(added.key(at: 0), added.handle(at: 0), at: run + offset) }
    }
  }
}

extension KeyRun {
  func pair(at index: Int) -> OrderedIndex.Pair {
    OrderedIndex.Pair(key(at: index), handle(at: index))
  }
}

extension OrderedIndex.Pair {
  /// Whether the pair stands before the other.
  package func isBefore(_ other: OrderedIndex.Pair) -> Bool {
    let order = ByteOrder.compare(key, other.key)
    return order != 0 ? order < 0 : handle < other.handle
  }
}
