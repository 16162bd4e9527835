/// What a replica knows of one record: every write seen, and the versions that still stand.
///
/// - Each entry's dot is covered by the vector.
/// - Entries are sorted by ``StandingEntry/precedes(_:)``: the first is the document that is seen,
///   the others are its conflicts.
/// - No entries: the record is deleted.
package struct RecordState: Hashable, Sendable {
  package private(set) var vector: VersionVector
  package private(set) var entries: [StandingEntry]

  package init(vector: VersionVector, entries: [StandingEntry]) {
    self.vector = vector
    self.entries = entries
    if entries.count > 1 { self.entries.sort { $0.precedes($1) } }
  }

  /// The state after the first write of a record.
  package init(_ entry: StandingEntry) {
    vector = VersionVector(entry.dot)
    entries = [entry]
  }

  package var isDeleted: Bool { entries.isEmpty }

  /// The version that readers get.
  package var seen: StandingEntry? { entries.first }

  /// The versions that stand beside the seen one, without those of equal content.
  package var conflicts: [StandingEntry] {
    var shown: [StandingEntry] = []
    for (index, entry) in entries.enumerated() {
      let isRepeated = entries[..<index].contains {
        $0.format == entry.format && $0.body == entry.body
      }
      if index > 0, !isRepeated { shown.append(entry) }
    }
    return shown
  }

  /// A write: it replaces the version that is seen, and those of equal content; conflicts stay.
  package func writing(
    _ body: [UInt8], format: BodyFormat, dot: Dot, tag: UInt64, now: UInt64
  ) -> RecordState {
    let entry = next(body, format: format, dot: dot, tag: tag, now: now)
    return adding(dot, entries: [entry] + unseen)
  }

  /// A deletion of what is seen, and of equal content: a conflict then becomes the document.
  package func deleting(dot: Dot, includingConflicts: Bool) -> RecordState {
    adding(dot, entries: includingConflicts ? [] : unseen)
  }

  /// The versions whose content is not the one that is seen.
  private var unseen: [StandingEntry] {
    guard let seen, entries.count > 1 else { return [] }
    return entries.filter { $0.format != seen.format || $0.body != seen.body }
  }

  /// One version in place of all that stand.
  package func resolving(
    _ body: [UInt8], format: BodyFormat, dot: Dot, tag: UInt64, now: UInt64
  ) -> RecordState {
    adding(dot, entries: [next(body, format: format, dot: dot, tag: tag, now: now)])
  }

  /// The same versions, with one more write seen.
  package func adding(_ dot: Dot) -> RecordState { adding(dot, entries: entries) }

  /// Whether both hold the same versions after the same writes. Bodies follow from tags.
  package func isSame(as other: RecordState) -> Bool {
    vector == other.vector && entries.count == other.entries.count
      && zip(entries, other.entries).allSatisfy { $0.isSame(as: $1) }
  }

  /// An own version is always newer than what its author saw, also where clocks are wrong.
  private func next(
    _ body: [UInt8], format: BodyFormat, dot: Dot, tag: UInt64, now: UInt64
  ) -> StandingEntry {
    let newest = entries.first.map { $0.time + 1 } ?? 0
    let time = min(max(now, newest), VersionLimits.time)
    return StandingEntry(dot: dot, tag: tag, time: time, format: format, body: body)
  }

  private func adding(_ dot: Dot, entries: [StandingEntry]) -> RecordState {
    var vector = vector
    vector.insert(dot)
    return RecordState(vector: vector, entries: entries)
  }
}

extension RecordState {
  /// The state of a record that nobody has written yet.
  package static let unwritten = RecordState(vector: VersionVector(), entries: [])
}
