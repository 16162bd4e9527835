package import NyaruEngine

/// Gives a database that is a copy, or was restored, an identity of its own.
///
/// Of two directories with one author, at most one may go on under that name. The other one takes
/// a new name; what it may have written after the parting is authored again, with the same content,
/// so that no dot means two writes. The steps are durable one by one, and may be repeated.
package enum Reidentification {
  /// Remembers what is to be done, and takes the new identity.
  package static func begin(
    _ database: any ReplicaDatabase, directory: SyncDirectory, bounds: [Identity: UInt64]
  ) async throws {
    try directory.save(PendingReidentification(old: database.author, bounds: bounds))
    try await database.renewAuthor()
  }

  /// Carries on, and ends, what was begun; does nothing if nothing was.
  package static func finish(
    _ database: any ReplicaDatabase, directory: SyncDirectory
  ) async throws {
    guard let pending = try directory.pendingReidentification() else { return }
    let old = pending.old ?? database.authors.dropLast().last ?? database.author
    if database.author == old { try await database.renewAuthor() }
    for store in try await database.stores() {
      try await rewrite(store, old: old, bound: pending.bounds[store.collectionID] ?? 0)
    }
    try keepCheckpoints(of: old, as: database.author, directory: directory)
    try directory.removePendingReidentification()
  }

  /// The record's state with one own version more under the new author, until none is left.
  ///
  /// A state has one new dot per step, since each dot is the sequence of a slot of its own.
  package static func step(
    _ state: RecordState, old: ReplicaID, bound: UInt64, dot: Dot
  ) -> RecordState? {
    guard state.vector[old] > bound else { return nil }
    let own = state.entries.indices.filter { index in
      let entry = state.entries[index]
      return entry.dot.replica == old && entry.dot.sequence > bound
    }
    var entries = state.entries
    if let last = own.last { entries[last].dot = dot }
    var vector = state.vector
    vector.insert(dot)
    if own.count <= 1 { vector.replace(old, with: bound) }
    return RecordState(vector: vector, entries: entries)
  }

  private static func rewrite(
    _ store: any RecordStore, old: ReplicaID, bound: UInt64
  ) async throws {
    var after: UInt64 = 0
    let stable = try await store.sync()
    while after < stable {
      let page = try await store.feed(after: after, through: stable, limit: FeedLimit())
      var due = page.records.filter { $0.state.vector[old] > bound }
        .map { IncomingRecord(idKey: $0.idKey, state: $0.state) }
      while !due.isEmpty {
        let outcome = try await store.apply(due, isGroup: false) { current, _, dot in
          guard let current, let next = step(current, old: old, bound: bound, dot: dot) else {
            return .keep
          }
          return .write(next, source: 0)
        }
        due = zip(due, outcome.changes).compactMap { record, change in
          guard case .write(let state, _) = change, state.vector[old] > bound else { return nil }
          return record
        }
      }
      after = page.through
    }
    _ = try await store.sync()
  }

  /// Nothing was lost, so what was exchanged before stays true under the new name.
  private static func keepCheckpoints(
    of old: ReplicaID, as new: ReplicaID, directory: SyncDirectory
  ) throws {
    for (number, peer) in try directory.peers() {
      var changed = peer
      for (tag, checkpoint) in peer.collections where checkpoint.replica == old {
        changed.collections[tag]?.replica = new
      }
      if changed != peer { try directory.save(changed, number: number) }
    }
  }
}
