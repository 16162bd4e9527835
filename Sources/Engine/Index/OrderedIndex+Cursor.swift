extension OrderedIndex {
  /// A pair's place; `(groups.count, 0, 0)` behind the last.
  struct Place: Equatable, Sendable {
    var group: Int
    var run: Int
    var entry: Int
  }

  /// Walks over the pairs of a range, in either direction.
  ///
  /// A cursor goes on over the index as it was, whatever happens to the index meanwhile.
  package struct Cursor: IteratorProtocol, Sendable {
    private let index: OrderedIndex
    private let isDescending: Bool
    private let end: Place
    private var place: Place
    private var run: KeyRun
    private var entry = 0

    fileprivate init(_ index: OrderedIndex, _ range: KeyRange, isDescending: Bool) {
      self.index = index
      self.isDescending = isDescending
      let bounds = index.places(of: range)
      place = isDescending ? bounds.upper : bounds.lower
      end = isDescending ? bounds.lower : bounds.upper
      let isInside = place.group < index.groups.count
      run = isInside ? index.groups[place.group].loaded.runs[place.run] : KeyRun()
    }

    /// The next pair's handle.
    package mutating func next() -> UInt32? {
      guard place != end else { return nil }
      if isDescending {
        if place.entry == 0 { stepBack() }
        place.entry -= 1
        entry = place.entry
        return run.handle(at: entry)
      }
      // Loaded late, so that the key of the pair before stays readable.
      if place.entry == 0 { run = index.groups[place.group].loaded.runs[place.run] }
      entry = place.entry
      place.entry += 1
      if place.entry == run.count { place = index.firstPlace(behind: place) }
      return run.handle(at: entry)
    }

    /// The key of the pair that ``next()`` returned last.
    package var key: [UInt8] { run.key(at: entry) }

    private mutating func stepBack() {
      if place.run == 0 {
        place.group -= 1
        place.run = index.groups[place.group].loaded.runs.count
      }
      place.run -= 1
      run = index.groups[place.group].loaded.runs[place.run]
      place.entry = run.count
    }
  }

  /// A cursor over the pairs whose keys lie in the range.
  package func cursor(_ range: KeyRange = .all, descending: Bool = false) -> Cursor {
    Cursor(self, range, isDescending: descending)
  }

  /// The handles whose keys lie in the range, in key order, at most `limit` of them.
  package func handles(
    _ range: KeyRange = .all, descending: Bool = false, limit: Int = .max
  ) -> [UInt32] {
    var handles: [UInt32] = []
    var cursor = cursor(range, descending: descending)
    while handles.count < limit, let handle = cursor.next() { handles.append(handle) }
    return handles
  }

  /// How many pairs have keys in the range.
  ///
  /// - Complexity: O(log *n*) and the number of groups.
  package func count(_ range: KeyRange) -> Int {
    let (lower, upper) = places(of: range)
    return ordinal(of: upper) - ordinal(of: lower)
  }

  /// The place of the first pair that is not before (`key`, `handle`).
  func place(of key: Span<UInt8>, _ handle: UInt64) -> Place {
    guard !groups.isEmpty else { return Place(group: 0, run: 0, entry: 0) }
    let group = group(of: key, handle)
    if let part = groups[group].part { return Self.place(of: key, handle, in: part.content, group) }
    return Self.place(of: key, handle, in: groups[group], group)
  }

  @inline(__always)
  private static func place(
    of key: Span<UInt8>, _ handle: UInt64, in group: borrowing Group, _ number: Int
  ) -> Place {
    let run = group.run(of: key, handle)
    let entry = group.runs[run].firstIndex(notBefore: key, handle)
    if entry < group.runs[run].count { return Place(group: number, run: run, entry: entry) }
    return run + 1 < group.runs.count
      ? Place(group: number, run: run + 1, entry: 0) : Place(group: number + 1, run: 0, entry: 0)
  }

  /// The first place of the next run.
  private func firstPlace(behind place: Place) -> Place {
    place.run + 1 < groups[place.group].loaded.runs.count
      ? Place(group: place.group, run: place.run + 1, entry: 0)
      : Place(group: place.group + 1, run: 0, entry: 0)
  }

  private func places(of range: KeyRange) -> (lower: Place, upper: Place) {
    let lower = place(of: range.lower.span, 0)
    guard let upper = range.upper else {
      return (lower, Place(group: groups.count, run: 0, entry: 0))
    }
    guard ByteOrder.compare(range.lower, upper) < 0 else { return (lower, lower) }
    return (lower, place(of: upper.span, 0))
  }

  private func ordinal(of place: Place) -> Int {
    var ordinal = place.entry
    for group in groups[..<place.group] { ordinal += group.count }
    if place.group < groups.count {
      for run in groups[place.group].loaded.runs[..<place.run] { ordinal += run.count }
    }
    return ordinal
  }
}
