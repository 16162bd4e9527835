/// A query over one collection: conditions, order, page.
///
/// A builder is a value; each call returns a changed copy, so parts of queries can be kept and
/// combined. Nothing runs before one of the executing calls. Conditions are joined by *and*.
public struct QueryBuilder<T: Codable & Sendable>: Sendable {
  let core: CollectionCore
  var query = DocumentQuery()

  init(core: CollectionCore) { self.core = core }

  /// Adds a condition made of ``Filter`` cases.
  public func `where`(_ filter: Filter) -> Self {
    var copy = self
    copy.query.filters.append(filter)
    return copy
  }

  /// Documents whose field equals the value.
  public func `where`(_ field: String, isEqualTo value: some DocumentValueConvertible) -> Self {
    self.where(.equal(field, value))
  }

  /// Documents whose field is missing or differs from the value.
  public func `where`(_ field: String, isNotEqualTo value: some DocumentValueConvertible) -> Self {
    self.where(.notEqual(field, value))
  }

  /// Documents whose field is above the value, and of its class.
  public func `where`(
    _ field: String, isGreaterThan value: some DocumentValueConvertible
  ) -> Self {
    self.where(.greaterThan(field, value))
  }

  /// Documents whose field is at or above the value, and of its class.
  public func `where`(
    _ field: String, isGreaterThanOrEqualTo value: some DocumentValueConvertible
  ) -> Self {
    self.where(.greaterThanOrEqual(field, value))
  }

  /// Documents whose field is below the value, and of its class.
  public func `where`(_ field: String, isLessThan value: some DocumentValueConvertible) -> Self {
    self.where(.lessThan(field, value))
  }

  /// Documents whose field is at or below the value, and of its class.
  public func `where`(
    _ field: String, isLessThanOrEqualTo value: some DocumentValueConvertible
  ) -> Self {
    self.where(.lessThanOrEqual(field, value))
  }

  /// Documents whose field equals one of the values.
  public func `where`(_ field: String, isIn values: [some DocumentValueConvertible]) -> Self {
    self.where(.isIn(field, values))
  }

  /// Documents whose field lies in the closed range.
  public func `where`<V: DocumentValueConvertible & Comparable>(
    _ field: String, isBetween range: ClosedRange<V>
  ) -> Self {
    self.where(.between(field, range.lowerBound, range.upperBound))
  }

  /// Documents whose text field starts with the prefix, compared by UTF-8 bytes.
  public func `where`(_ field: String, startsWith prefix: String) -> Self {
    self.where(.startsWith(field, prefix))
  }

  /// Documents whose text field ends with the suffix, compared by UTF-8 bytes.
  public func `where`(_ field: String, endsWith suffix: String) -> Self {
    self.where(.endsWith(field, suffix))
  }

  /// Documents whose text field contains the text, compared by UTF-8 bytes.
  public func `where`(_ field: String, contains text: String) -> Self {
    self.where(.contains(field, text))
  }

  /// Documents whose text field matches the pattern: `%` any text, `_` one character.
  public func `where`(_ field: String, like pattern: String) -> Self {
    self.where(.like(field, pattern))
  }

  /// Documents whose text field matches the pattern: `*` any text, `?` one character.
  public func `where`(_ field: String, glob pattern: String) -> Self {
    self.where(.glob(field, pattern))
  }

  /// Documents that have the field, whatever its value, null included.
  public func whereExists(_ field: String) -> Self { self.where(.exists(field)) }

  /// Orders by a field; a second call orders what the first leaves equal.
  ///
  /// Without any, documents come in the order of their ids. Equal documents keep that order.
  public func sort(by field: String, ascending: Bool = true) -> Self {
    var copy = self
    copy.query.sortKeys.append(SortKey(FieldPath(field), ascending: ascending))
    return copy
  }

  /// Returns at most this many documents.
  public func limit(_ count: Int) -> Self {
    var copy = self
    copy.query.limit = max(0, count)
    return copy
  }

  /// Leaves out this many documents at the start.
  public func offset(_ count: Int) -> Self {
    var copy = self
    copy.query.offset = max(0, count)
    return copy
  }
}

extension QueryBuilder {
  /// The documents that match, decoded, from one point in time.
  ///
  /// - Throws: ``NyaruError/corruptedRecord(id:reason:)`` if a matching record does not read,
  ///   ``NyaruError/invalidDocument(reason:)`` if one does not decode to the type.
  /// - Complexity: with a condition on the id or on an indexed field, O(log *n* + matches);
  ///   else O(*n*).
  public func execute() async throws -> [T] {
    try await core.reading { () throws(NyaruError) in
      try core.snapshot().documents(matching: query, as: T.self)
    }
  }

  /// The first document that matches, or `nil`.
  public func first() async throws -> T? { try await limit(1).execute().first }

  /// How many documents match, within offset and limit.
  public func count() async throws -> Int {
    try await core.reading { () throws(NyaruError) in
      try core.snapshot().count(matching: query)
    }
  }

  /// The distinct values of a field among the documents that match, in ascending order.
  public func distinctValues(on field: String) async throws -> [DocumentValue] {
    try await core.reading { () throws(NyaruError) in
      try core.snapshot().distinctValues(of: FieldPath(field), matching: query)
    }
  }

  /// Deletes the documents that match and returns how many there were.
  ///
  /// The matches come from one point in time; those that change before the deletion are looked
  /// at again, so that no document is deleted which does not match.
  @discardableResult
  public func delete() async throws -> Int {
    let matches = try await core.reading { () throws(NyaruError) in
      try core.snapshot().matches(query)
    }
    return try await core.delete(matches, filter: query.filter)
  }

  /// How the query would run.
  public func explain() async throws(NyaruError) -> QueryPlan {
    try await core.reading { () throws(NyaruError) in try core.snapshot().plan(for: query) }
  }
}
