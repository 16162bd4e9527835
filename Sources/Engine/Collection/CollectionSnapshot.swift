/// A collection at one point in time; its reads are plain functions and wait for nobody.
///
/// While it is held, the space of what is deleted or replaced is kept.
public struct CollectionSnapshot<T: Codable & Sendable>: Sendable {
  let snapshot: DocumentSnapshot

  /// How many documents there were.
  public var count: Int { snapshot.count }

  /// The sequence of the last change in it.
  public var sequence: UInt64 { snapshot.sequence }

  /// The document with the id, or `nil` if there was none.
  public func document(id: some DocumentValueConvertible) throws(NyaruError) -> T? {
    try snapshot.document(DocumentShape.idKey(of: id.documentValue))?.decoded(as: T.self)
  }

  /// All documents, in the order of their ids.
  public func all() throws -> [T] {
    try snapshot.all(as: T.self)
  }

  /// The documents that match a filter, in the order of their ids.
  public func documents(where filter: Filter) throws -> [T] {
    var query = DocumentQuery()
    query.filters = [filter]
    return try snapshot.documents(matching: query, as: T.self)
  }

  /// The documents in the order of their ids, read as they are asked for.
  public func stream(batchSize: Int = 512) -> DocumentStream<T> {
    snapshot.counters.noteStream()
    return DocumentStream(snapshot: snapshot, batchSize: max(1, batchSize))
  }
}
