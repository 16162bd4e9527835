package import NyaruEngine

/// How two states of one record become one.
///
/// Vectors join. A version stays iff both sides hold it, or the other side never saw it. So a
/// concurrent edit survives a deletion by itself, and what somebody saw and replaced stays
/// replaced; no clock and no order decides what stands. Merging is commutative, associative and
/// idempotent.
package enum Merge {
  /// The merged state, and whether both sides hold different versions under one dot.
  package struct Result: Equatable, Sendable {
    package var state: RecordState

    /// Two writes claim one dot: a copied replica that nobody caught. Both stand. Who merges adds
    /// a dot of its own, so that the states are told apart from here on.
    package var isFork: Bool

    package init(state: RecordState, isFork: Bool) {
      self.state = state
      self.isFork = isFork
    }
  }

  package static func merge(_ left: RecordState, _ right: RecordState) -> Result {
    let others = right.entries.filter { entry in
      stays(entry, against: left) && !left.entries.contains { $0.isSame(as: entry) }
    }
    let entries = left.entries.filter { stays($0, against: right) }
    let isFork = others.contains { other in
      entries.contains { entry in
        entry.dot == other.dot && !right.entries.contains { $0.isSame(as: entry) }
      }
    }
    let vector = left.vector.joined(right.vector)
    return Result(state: RecordState(vector: vector, entries: entries + others), isFork: isFork)
  }

  private static func stays(_ entry: StandingEntry, against other: RecordState) -> Bool {
    // An entry under the same dot is this version, or one that forked from it: both stand.
    !other.vector.covers(entry.dot) || other.entries.contains { $0.dot == entry.dot }
  }
}

/// Decides what a replica does with a state that came from a peer.
package struct MergeRule: Sendable {
  package var replica: ReplicaID

  /// The highest own sequence that was ever sent to anybody.
  package var sentThrough: UInt64

  /// What marks a state as equal to the peer's, 0 for none.
  package var source: UInt32

  package init(replica: ReplicaID, sentThrough: UInt64, source: UInt32) {
    self.replica = replica
    self.sentThrough = sentThrough
    self.source = source
  }

  /// Stops where the other side knows writes of this replica that this replica does not know.
  ///
  /// Then this directory is a copy, or was restored, and takes a new identity before it merges.
  package func change(
    _ current: RecordState?, _ incoming: RecordState, _ dot: Dot
  ) -> StateChange {
    let own = incoming.vector[replica]
    if own > current?.vector[replica] ?? 0 || own > sentThrough { return .stop }
    guard let current else { return .write(incoming, source: source) }
    if current.isSame(as: incoming) { return .keep }

    let merged = Merge.merge(current, incoming)
    let state = merged.isFork ? merged.state.adding(dot) : merged.state
    if state.isSame(as: current) { return .keep }
    guard state.entries.count <= VersionLimits.entryCount,
      state.vector.dots.count <= VersionLimits.authorCount
    else { return .refuse }
    return .write(state, source: state.isSame(as: incoming) ? source : 0)
  }
}
