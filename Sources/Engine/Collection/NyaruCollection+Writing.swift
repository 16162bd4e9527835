/// Writing. When a call returns, every reader sees it and `kill -9` does not lose it; when it
/// throws, nothing was written. A power cut may lose what was not flushed; see `sync()`.
extension NyaruCollection {
  /// Adds a document whose id is not in use.
  ///
  /// - Throws: ``NyaruError/duplicateID(_:)``, ``NyaruError/missingID(field:)``,
  ///   ``NyaruError/limitExceeded(limit:maximum:actual:)``.
  public func insert(_ document: T) async throws(NyaruError) {
    _ = try await core.write([WriteIntent(.insert, try Self.prepare(document, core.shape))])
  }

  /// Adds documents, all or none; the ids must not be in use.
  ///
  /// Much faster than one by one: a few writes of the disk for each shard.
  public func insert(contentsOf documents: some Sequence<T>) async throws(NyaruError) {
    let shape = core.shape
    let intents = try Spread.map(Array(documents)) { (document) throws(NyaruError) in
      WriteIntent(.insert, try Self.prepare(document, shape))
    }
    _ = try await core.write(intents)
  }

  /// Replaces the document with the same id.
  ///
  /// Fields of the stored document that the type does not know are kept.
  ///
  /// - Throws: ``NyaruError/documentNotFound(_:)`` and as ``insert(_:)``.
  public func update(_ document: T) async throws(NyaruError) {
    _ = try await core.write([try intent(.update, document)])
  }

  /// Adds the document, or replaces the one with the same id as ``update(_:)`` does.
  public func upsert(_ document: T) async throws(NyaruError) {
    _ = try await core.write([try intent(.upsert, document)])
  }

  /// Adds or replaces documents, all or none.
  public func upsert(contentsOf documents: some Sequence<T>) async throws(NyaruError) {
    let intents = try Spread.map(Array(documents)) { (document) throws(NyaruError) in
      try intent(.upsert, document)
    }
    _ = try await core.write(intents)
  }

  /// Sets some fields of a document, by dot path; the result must decode to the type.
  ///
  /// - Throws: ``NyaruError/documentNotFound(_:)``, ``NyaruError/invalidDocument(reason:)``,
  ///   ``NyaruError/idChanged(from:to:)``.
  public func patch(
    id: some DocumentValueConvertible, changes: [String: DocumentValue]
  ) async throws(NyaruError) {
    let id = id.documentValue
    let shape = core.shape
    let changes = changes.sorted { $0.key < $1.key }.map { (FieldPath($0.key), $0.value) }
    let intent = WriteIntent(
      .update, idKey: try DocumentShape.idKey(of: id),
      revision: { (old, format) throws(NyaruError) in
        let body = try NyaruError.format { () throws(FormatError) in
          try DocumentMerge.patch(old, format: format, changes: changes)
        }
        _ = try DocumentBody(bytes: body, format: format).decoded(as: T.self)
        return try shape.prepare(body, format: format)
      })
    _ = try await core.write([intent])
  }

  /// Deletes the document with the id.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func delete(id: some DocumentValueConvertible) async throws(NyaruError) -> Bool {
    try await delete(values: [id.documentValue]) == 1
  }

  /// Deletes the documents with the ids, all or none; ids without a document are passed over.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func delete(
    ids: some Sequence<some DocumentValueConvertible>
  ) async throws(NyaruError) -> Int {
    try await delete(values: ids.map(\.documentValue))
  }

  /// Collects mixed operations and writes them all or not at all, also across a crash.
  ///
  /// The closure only collects; when it throws, nothing is written. A batch of a database that
  /// syncs travels whole and is limited to 8 MiB.
  ///
  /// - Throws: What the closure throws, ``NyaruError/repeatedID(_:)``, and as the single calls.
  public func writeBatch(_ body: (inout WriteBatch<T>) throws -> Void) async throws {
    var batch = WriteBatch<T>()
    try body(&batch)
    let intents = try Spread.map(batch.operations) { (operation) throws(NyaruError) in
      switch operation {
      case .insert(let document): WriteIntent(.insert, try Self.prepare(document, core.shape))
      case .update(let document): try intent(.update, document)
      case .upsert(let document): try intent(.upsert, document)
      case .delete(let id): WriteIntent(.delete, idKey: try DocumentShape.idKey(of: id))
      }
    }
    _ = try await core.write(intents, isGroup: true)
  }

  private func delete(values: [DocumentValue]) async throws(NyaruError) -> Int {
    var intents: [WriteIntent] = []
    intents.reserveCapacity(values.count)
    var seen = Set<[UInt8]>(minimumCapacity: values.count > 1 ? values.count : 0)
    for id in values {
      let key = try DocumentShape.idKey(of: id)
      guard values.count == 1 || seen.insert(key).inserted else { continue }
      intents.append(WriteIntent(.delete, idKey: key))
    }
    return try await core.write(intents)
  }

  private static func prepare(
    _ document: T, _ shape: DocumentShape
  ) throws(NyaruError) -> PreparedDocument {
    let (body, format) = try encode(document, format: shape.format)
    return try shape.prepare(body, format: format)
  }

  private func intent(
    _ kind: WriteIntent.Kind, _ document: T
  ) throws(NyaruError) -> WriteIntent {
    let shape = core.shape
    let prepared = try Self.prepare(document, shape)
    // An untyped document says all that there is to say.
    if Self.isUntyped { return WriteIntent(kind, prepared) }
    return WriteIntent(kind, prepared) { (old, oldFormat) throws(NyaruError) in
      let merged = try NyaruError.coding {
        try DocumentMerge.keepingUnknownFields(
          new: prepared.body, newFormat: prepared.format, old: old, oldFormat: oldFormat,
          as: T.self)
      }
      return merged == prepared.body
        ? prepared : try shape.prepare(merged, format: prepared.format)
    }
  }

  /// Whether documents are ``Document``s; faster than a cast of one.
  private static var isUntyped: Bool {
    ObjectIdentifier(T.self) == ObjectIdentifier(Document.self)
  }

  private static func encode(
    _ document: T, format: BodyFormat
  ) throws(NyaruError) -> (body: [UInt8], format: BodyFormat) {
    if isUntyped, let document = document as? Document {
      return (document.bytes, document.format)
    }
    return (
      try NyaruError.coding { try DocumentEncoder().encode(document, format: format) }, format
    )
  }
}
