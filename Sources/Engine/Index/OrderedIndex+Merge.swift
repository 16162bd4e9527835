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
      let first = pairs[start]
      let group = group(of: first.key.span, UInt64(first.handle))
      load(group)
      let run = groups[group].run(of: first.key.span, UInt64(first.handle))
      let end = firstIndex(in: pairs, from: start, behind: run, of: group)
      if (end - start) * 8 < groups[group].runs[run].count {
        for pair in pairs[start..<end] { insert(pair.key, pair.handle) }
      } else {
        rebuild(run, of: group, with: pairs[start..<end])
      }
      start = end
    }
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

  private mutating func rebuild(_ run: Int, of group: Int, with pairs: ArraySlice<Pair>) {
    let old = groups[group].runs[run]
    var builder = Builder()
    var next = 0
    var added = 0
    for pair in pairs {
      let end = old.firstIndex(notBefore: pair.key.span, UInt64(pair.handle))
      for index in next..<max(next, end) {
        builder.append(old.key(at: index), old.handle(at: index))
      }
      next = max(next, end)
      let isThere = next < old.count && old.pair(at: next) == pair
      if isThere { continue }
      builder.append(pair.key, pair.handle)
      added += 1
    }
    for index in next..<old.count { builder.append(old.key(at: index), old.handle(at: index)) }
    count += added
    replace(run, of: group, with: builder.finishRuns())
  }

  private mutating func replace(_ run: Int, of group: Int, with runs: [KeyRun]) {
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
