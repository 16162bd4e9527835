/// The newest state of a document that changed.
public struct DocumentChange<T: Codable & Sendable>: Sendable {
  /// The place of the change in the collection's order.
  public let sequence: UInt64

  /// The id of the document.
  public let id: DocumentValue

  /// The document, or `nil` if it was deleted.
  public let document: T?

  init(_ record: StoredRecord) throws(NyaruError) {
    sequence = record.sequence
    do throws(FormatError) { id = try OrderedKey.decode(record.idKey) } catch {
      throw NyaruError(error)
    }
    document =
      record.isDeletion ? nil : try DocumentBody(record).decoded(as: T.self)
  }
}
