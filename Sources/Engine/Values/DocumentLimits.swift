/// Every limit on documents and keys, in one place.
///
/// What exceeds a limit is refused when it is written, with an error that names the limit.
public enum DocumentLimits {
  /// Bytes of one encoded document.
  public static let documentSize = 16 << 20

  /// Bytes of one encoded document in a collection that syncs.
  public static let syncedDocumentSize = 8 << 20

  /// Bytes of the key that an id encodes to.
  public static let idSize = 1 << 10

  /// Containers that lie in one another, the document itself included.
  public static let depth = 128

  /// Bytes of a key that an index holds; longer keys are checked again on the document.
  public static let keyPrefixSize = 1 << 10

  /// Bytes of all documents of one batch.
  public static let batchSize = 256 << 20

  /// Bytes of a query expression.
  public static let expressionSize = 64 << 10

  /// Calls of `encode(to:)` or `init(from:)` that are under way in one another.
  package static let coderNesting = 4 * depth
}
