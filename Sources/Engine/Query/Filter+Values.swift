extension Filter {
  /// The field is there and has this value.
  public static func equal(_ field: String, _ value: some DocumentValueConvertible) -> Filter {
    .equal(FieldPath(field), value.documentValue)
  }

  /// The field is missing or has another value.
  public static func notEqual(_ field: String, _ value: some DocumentValueConvertible) -> Filter {
    .notEqual(FieldPath(field), value.documentValue)
  }

  /// The field comes before the value, and is of its kind.
  public static func lessThan(_ field: String, _ value: some DocumentValueConvertible) -> Filter {
    .lessThan(FieldPath(field), value.documentValue)
  }

  /// The field comes before the value or equals it, and is of its kind.
  public static func lessThanOrEqual(
    _ field: String, _ value: some DocumentValueConvertible
  ) -> Filter {
    .lessThanOrEqual(FieldPath(field), value.documentValue)
  }

  /// The field comes after the value, and is of its kind.
  public static func greaterThan(
    _ field: String, _ value: some DocumentValueConvertible
  ) -> Filter {
    .greaterThan(FieldPath(field), value.documentValue)
  }

  /// The field comes after the value or equals it, and is of its kind.
  public static func greaterThanOrEqual(
    _ field: String, _ value: some DocumentValueConvertible
  ) -> Filter {
    .greaterThanOrEqual(FieldPath(field), value.documentValue)
  }

  /// The field lies between two values of its kind, or equals one of them.
  public static func between<Value: DocumentValueConvertible>(
    _ field: String, _ lower: Value, _ upper: Value
  ) -> Filter {
    .between(FieldPath(field), lower.documentValue, upper.documentValue)
  }

  /// The field equals one of the values.
  public static func isIn(
    _ field: String, _ values: [some DocumentValueConvertible]
  ) -> Filter {
    .isIn(FieldPath(field), values.map(\.documentValue))
  }

  /// The field is a string that contains the value, or an array with an element that equals it.
  public static func contains(_ field: String, _ value: some DocumentValueConvertible) -> Filter {
    .contains(FieldPath(field), value.documentValue)
  }

  /// The field is a string that matches a pattern of `%` and `_`.
  public static func like(_ field: String, _ pattern: String) -> Filter {
    .like(FieldPath(field), pattern)
  }

  /// The field is a string that matches a pattern of `*`, `?` and sets in brackets.
  public static func glob(_ field: String, _ pattern: String) -> Filter {
    .glob(FieldPath(field), pattern)
  }

  /// The field is a string that starts with the text.
  public static func startsWith(_ field: String, _ text: String) -> Filter {
    .startsWith(FieldPath(field), text)
  }

  /// The field is a string that ends with the text.
  public static func endsWith(_ field: String, _ text: String) -> Filter {
    .endsWith(FieldPath(field), text)
  }

  /// The field is there, whatever its value is, null included.
  public static func exists(_ field: String) -> Filter { .exists(FieldPath(field)) }
}
