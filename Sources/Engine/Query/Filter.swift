/// A condition on documents.
///
/// A comparison asks for a value of the same kind: `.lessThan("age", 5)` matches numbers only,
/// never null, a string or a missing field. `.notEqual` matches whatever `.equal` does not, a
/// missing field included.
public indirect enum Filter: Sendable, Hashable {
  /// The field is there and has this value.
  case equal(FieldPath, DocumentValue)

  /// The field is missing or has another value.
  case notEqual(FieldPath, DocumentValue)

  /// The field comes before the value, and is of its kind.
  case lessThan(FieldPath, DocumentValue)

  /// The field comes before the value or equals it, and is of its kind.
  case lessThanOrEqual(FieldPath, DocumentValue)

  /// The field comes after the value, and is of its kind.
  case greaterThan(FieldPath, DocumentValue)

  /// The field comes after the value or equals it, and is of its kind.
  case greaterThanOrEqual(FieldPath, DocumentValue)

  /// The field lies between two values of its kind, or equals one of them.
  case between(FieldPath, DocumentValue, DocumentValue)

  /// The field equals one of the values.
  case isIn(FieldPath, [DocumentValue])

  /// The field is a string that matches a pattern, in which `%` stands for any text and `_` for
  /// one character; a backslash takes the meaning from the character that follows it.
  case like(FieldPath, String)

  /// The field is a string that matches a pattern, in which `*` stands for any text, `?` for one
  /// character and `[a-z]` or `[!a-z]` for one of a set; a backslash takes the meaning from the
  /// character that follows it.
  case glob(FieldPath, String)

  /// The field is a string that starts with the text.
  case startsWith(FieldPath, String)

  /// The field is a string that ends with the text.
  case endsWith(FieldPath, String)

  /// The field is a string that contains the value, or an array with an element that equals it.
  case contains(FieldPath, DocumentValue)

  /// The field is there, whatever its value is, null included.
  case exists(FieldPath)

  /// Every filter matches; matches every document if there is none.
  case and([Filter])

  /// At least one filter matches; matches no document if there is none.
  case or([Filter])

  /// The filter does not match.
  case not(Filter)
}
