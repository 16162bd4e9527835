/// The shape of a collection: where ids are, how it is split, what is indexed.
///
/// ``idField`` and ``partitionKey`` are frozen when the collection is created. Indexed fields may
/// change between openings; missing indexes are built with one scan.
public struct CollectionOptions: Sendable, Equatable {
  /// The field with the document's id, as a dot path.
  public var idField: String

  /// The field whose values name the shard files, as a dot path.
  public var partitionKey: String?

  /// The fields with an index, as dot paths. The id always has one.
  public var indexedFields: [String]

  /// Options with an id in `id`, one shard, and no secondary index unless named.
  public init(
    idField: String = "id", partitionKey: String? = nil, indexedFields: [String] = []
  ) {
    self.idField = idField
    self.partitionKey = partitionKey
    self.indexedFields = indexedFields
  }
}
