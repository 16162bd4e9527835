extension DocumentValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A ``bool(_:)``.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// An ``integer(_:)``.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// A ``double(_:)``.
  public init(floatLiteral value: Double) { self = .double(value) }

  /// A ``string(_:)``.
  public init(stringLiteral value: String) { self = .string(value) }

  /// An ``array(_:)``.
  public init(arrayLiteral elements: DocumentValue...) { self = .array(elements) }

  /// A ``map(_:)``; of entries with the same key, the last one counts.
  public init(dictionaryLiteral elements: (String, DocumentValue)...) {
    self = .map(DocumentMap(elements.map { (key: $0.0, value: $0.1) }))
  }
}
