extension CollectionCore {
  /// Deletes matches of a query; those that changed since are tried again.
  ///
  /// - Returns: How many were deleted.
  package func delete(
    _ matches: [DocumentSnapshot.Match], filter: Filter?
  ) async throws(NyaruError) -> Int {
    try checkOpen()
    try prepare(matches.lazy.map(\.idKey))
    let filter = filter.map { CompiledFilter($0) }
    var turn = WriteTurn(self, count: 0)
    for match in matches {
      guard let old = try readable(match.idKey), !old.isDeletion else { continue }
      if old.sequence != match.sequence, let filter {
        do throws(FormatError) {
          guard try filter.matches(Array(old.body), format: old.layout.format) else { continue }
        } catch {
          throw NyaruError(error)
        }
      }
      let state = try state(of: old, turn.authors)
      turn.append(
        try record(
          state.deleting(dot: turn.dot, includingConflicts: false), idKey: match.idKey,
          source: 0, previousIndexKeys: previousIndexKeys(old), sequence: turn.sequence,
          turn.authors))
    }
    try commit(turn.records, isGroup: false)
    try await flushIfDue(written: turn.records.count)
    return turn.records.count
  }
}
