/// Collects mixed operations, which are then written all or not at all.
///
/// At most one operation may name an id. In a database that syncs, the batch also travels whole.
public struct WriteBatch<T: Codable & Sendable>: Sendable {
  /// One collected operation, before it is encoded.
  enum Operation: Sendable {
    case insert(T)
    case update(T)
    case upsert(T)
    case delete(DocumentValue)
  }

  private(set) var operations: [Operation] = []

  /// Adds a document whose id must not be in use.
  public mutating func insert(_ document: T) { operations.append(.insert(document)) }

  /// Replaces the document with the same id, which must exist.
  public mutating func update(_ document: T) { operations.append(.update(document)) }

  /// Adds the document, or replaces the one with the same id.
  public mutating func upsert(_ document: T) { operations.append(.upsert(document)) }

  /// Deletes the document with the id, which must exist.
  public mutating func delete(id: some DocumentValueConvertible) {
    operations.append(.delete(id.documentValue))
  }
}
