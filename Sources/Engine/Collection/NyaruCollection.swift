/// A typed handle to one collection.
///
/// Handles are cheap and can be shared between tasks. All handles to a collection, whatever their
/// type, write through the same writer.
public struct NyaruCollection<T: Codable & Sendable>: Sendable {
  package let core: CollectionCore

  package init(core: CollectionCore) { self.core = core }

  /// The collection's name.
  public var name: String { core.name }

  /// The options as they are stored.
  public var options: CollectionOptions {
    let shape = core.shape
    return CollectionOptions(
      idField: shape.idField.description, partitionKey: shape.partitionKey?.description,
      indexedFields: shape.indexedFields.map(\.description))
  }
}

/// Reading.
extension NyaruCollection {
  /// The document with the id, or `nil` if there is none.
  ///
  /// - Throws: ``NyaruError/corruptedRecord(id:reason:)``,
  ///   ``NyaruError/invalidDocument(reason:)`` if it does not decode to the type.
  /// - Complexity: O(log *n*), one read of the disk.
  public func get(id: some DocumentValueConvertible) async throws(NyaruError) -> T? {
    let key = try DocumentShape.idKey(of: id.documentValue)
    return try await core.reading { () throws(NyaruError) in try document(key) }
  }

  /// The same as ``get(id:)`` without leaving the calling thread.
  public func document(id: some DocumentValueConvertible) throws(NyaruError) -> T? {
    try document(DocumentShape.idKey(of: id.documentValue))
  }

  private func document(_ key: [UInt8]) throws(NyaruError) -> T? {
    core.counters.noteGet()
    let record = try NyaruError.storage { () throws(StorageError) in try core.reader.record(key) }
    return try record.map { (record) throws(NyaruError) in
      try DocumentBody(record).decoded(as: T.self)
    }
  }

  /// All documents, in the order of their ids.
  public func all() async throws -> [T] { try await find().execute() }

  /// How many documents there are.
  public func count() async throws(NyaruError) -> Int {
    try await core.reading { () throws(NyaruError) in
      try NyaruError.storage { () throws(StorageError) in try core.reader.snapshot().count() }
    }
  }

  /// Begins a query over all documents.
  public func find() -> QueryBuilder<T> { QueryBuilder(core: core) }

  /// Begins a query with a condition.
  public func find(_ filter: Filter) -> QueryBuilder<T> { find().where(filter) }

  /// The documents of one point in time, in the order of their ids, read as they are asked for.
  ///
  /// Memory stays bounded by the batch. One record that does not read does not end the stream:
  /// the others are delivered, and its error is thrown at the end.
  public func stream(batchSize: Int = 512) -> DocumentStream<T> {
    snapshot().stream(batchSize: batchSize)
  }

  /// The collection as it is now, unchanged by later writes for as long as it is held.
  ///
  /// It keeps the space of what is deleted or replaced meanwhile. - Complexity: O(1).
  public func snapshot() -> CollectionSnapshot<T> {
    CollectionSnapshot(snapshot: core.snapshot())
  }

  /// The documents that changed after a sequence, each in its newest state, oldest change first.
  ///
  /// The sequence of the last change is where the next call goes on. Begin with 0.
  ///
  /// - Throws: ``NyaruError/changesCollected(through:)`` if deletions after the sequence were
  ///   forgotten, which happens only in databases that never synced.
  public func changes(since sequence: UInt64) async throws(NyaruError) -> [DocumentChange<T>] {
    let records = try await core.reading { () throws(NyaruError) in
      try NyaruError.storage { () throws(StorageError) in
        let snapshot = core.reader.snapshot()
        let entries = try snapshot.changes(after: sequence)
        return try snapshot.records(entries.map(\.handle))
          .map { (result) throws(StorageError) in try result.get() }
      }
    }
    return try records.map { (record) throws(NyaruError) in try DocumentChange(record) }
  }
}
