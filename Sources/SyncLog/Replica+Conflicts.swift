public import NyaruEngine

/// A document in which versions stand side by side, none of whose authors saw the other one.
public struct Conflict: Sendable {
  /// One of the versions.
  public struct Version: Sendable {
    /// The content.
    public var document: Document

    /// When it was written, by the author's clock: milliseconds since 1970.
    public var time: UInt64

    /// Who wrote it.
    public var author: ReplicaID
  }

  /// The collection's name.
  public var collection: String

  /// The document's id.
  public var id: DocumentValue

  /// What readers get; version 0 for ``Replica/resolve(_:id:keeping:)``.
  public var seen: Version

  /// The other versions, newest first, without those of equal content; from version 1 on.
  public var others: [Version]
}

extension Replica {
  /// The documents in which versions stand side by side, in the order of their last change.
  ///
  /// - Throws: ``SyncError/notFound(_:)`` if there is no such collection.
  /// - Complexity: O(*n*) in the records of the collection, or of all collections.
  public func conflicts(
    in collection: String? = nil
  ) async throws(SyncError) -> [Conflict] {
    try await mapping {
      var conflicts: [Conflict] = []
      let stores = try await database.stores()
      let wanted = stores.filter { collection.map(Self.isName(of: $0)) ?? true }
      if let collection, wanted.isEmpty { throw SyncError.notFound("collection \(collection)") }
      for store in wanted {
        let stable = try await store.sync()
        var after: UInt64 = 0
        while after < stable {
          let page = try await store.feed(after: after, through: stable, limit: FeedLimit())
          conflicts += page.records.compactMap { Self.conflict(in: store, $0) }
          after = page.through
        }
      }
      return conflicts
    }
  }

  /// Keeps one version of a document in place of all; others learn of it with the next sync.
  ///
  /// The version is the one that ``Conflict`` lists under the number, 0 being the seen one.
  ///
  /// - Throws: ``SyncError/notFound(_:)`` if there is no such collection, document or version.
  public func resolve(
    _ collection: String, id: some DocumentValueConvertible, keeping version: Int
  ) async throws(SyncError) {
    try await mapping {
      try await resolve(collection, id: id.documentValue) { state in
        let versions = state.entries.prefix(1) + state.conflicts
        guard versions.indices.contains(version) else { return nil }
        return (versions[version].body, versions[version].format)
      }
    }
  }

  /// Writes a document in place of all versions; others learn of it with the next sync.
  ///
  /// - Throws: ``SyncError/invalidDocument(_:)`` if the document has another id;
  ///   ``SyncError/notFound(_:)`` if there is no such collection or document.
  public func resolve(
    _ collection: String, id: some DocumentValueConvertible, with document: Document
  ) async throws(SyncError) {
    try await mapping {
      try await resolve(collection, id: id.documentValue) { _ in
        (document.bytes, document.format)
      }
    }
  }

  private static func isName(of store: any RecordStore) -> (String) -> Bool {
    // String compares by canonical equivalence; names are bytes.
    { $0.utf8.elementsEqual(store.name.utf8) }
  }

  private static func conflict(in store: any RecordStore, _ record: FeedRecord) -> Conflict? {
    let others = record.state.conflicts.compactMap(version)
    guard !others.isEmpty, let seen = record.state.seen.flatMap(version),
      let id = try? OrderedKey.decode(record.idKey)
    else { return nil }
    return Conflict(collection: store.name, id: id, seen: seen, others: others)
  }

  private static func version(_ entry: StandingEntry) -> Conflict.Version? {
    guard let document = try? Document(bytes: entry.body, format: entry.format) else { return nil }
    return Conflict.Version(
      document: document, time: entry.time, author: entry.dot.replica)
  }

  private func resolve(
    _ collection: String, id: DocumentValue,
    _ choose: @escaping @Sendable (RecordState) -> (body: [UInt8], format: BodyFormat)?
  ) async throws {
    guard let store = try await database.stores().first(where: { Self.isName(of: $0)(collection) })
    else { throw SyncError.notFound("collection \(collection)") }
    let idKey = try OrderedKey.key(of: id)
    let name = "\(collection) \(IDText.text(idKey))"
    guard let state = try await store.state(of: idKey), !state.isDeleted else {
      throw SyncError.notFound("document \(name)")
    }
    guard let chosen = choose(state) else { throw SyncError.notFound("such version of \(name)") }
    let path = FieldPath(store.idField)
    guard let found = try OrderedKey.key(at: path, in: chosen.body, format: chosen.format),
      found.bytes == idKey, !found.isTruncated
    else {
      throw SyncError.invalidDocument("the document's \(store.idField) is not that of \(name)")
    }
    guard chosen.body.count <= ProtocolLimits.documentSize else {
      throw SyncError.invalidDocument("a document that syncs has at most 8 MiB")
    }
    let (now, tag) = (now(), RandomBytes.nextUInt64())
    let incoming = IncomingRecord(idKey: idKey, state: state)
    let outcome = try await store.apply([incoming], isGroup: false) { current, _, dot in
      // In the writer's turn the versions may be others than those that were looked at.
      guard let current, current.isSame(as: state), let chosen = choose(current) else {
        return .stop
      }
      return .write(
        current.resolving(
          chosen.body, format: chosen.format, dot: dot, tag: tag, now: now), source: 0)
    }
    if outcome.stoppedAt != nil {
      throw SyncError.invalidDocument("\(name) changed meanwhile; look at its versions again")
    }
  }

  func mapping<Result>(
    _ work: () async throws -> Result
  ) async throws(SyncError) -> Result {
    do { return try await work() } catch { throw SyncError(error) }
  }
}
