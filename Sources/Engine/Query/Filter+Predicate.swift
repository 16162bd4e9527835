public import FoundationEssentials

/// Why a predicate of Foundation is not a filter.
public struct UnsupportedPredicate: Error, Equatable, Sendable, CustomStringConvertible {
  /// What a filter cannot say.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension Filter {
  /// A filter that says what a predicate of Foundation says.
  ///
  /// Properties stand for the fields of their names, so a type whose `CodingKeys` rename a
  /// property needs a path in its place. Comparisons, `&&`, `||`, `!`, `contains`, `starts(with:)`
  /// and optional chaining work. Text is compared by its bytes, where Swift would find composed
  /// and decomposed letters equal. A property that is compared with `nil` may be missing or null.
  ///
  /// - Throws: ``UnsupportedPredicate`` naming the first part that has no counterpart.
  public init<T>(_ predicate: Predicate<T>) throws(UnsupportedPredicate) {
    self = try Self.filter(predicate.expression)
  }

  /// The filter of a part of a predicate that is true or false.
  static func filter(_ expression: Any) throws(UnsupportedPredicate) -> Filter {
    if let expression = expression as? any FilterExpression { return try expression.filter() }
    if let field = expression as? any FieldExpression {
      return .equal(FieldPath(components: try field.components()), true)
    }
    throw UnsupportedPredicate("no filter says \(type(of: expression))")
  }
}

extension FieldPath {
  /// The path of the fields that are called like the properties of a key path.
  ///
  /// - Throws: ``UnsupportedPredicate`` if the key path goes through anything but properties.
  public init<Root>(_ keyPath: PartialKeyPath<Root>) throws(UnsupportedPredicate) {
    self.init(components: try fieldNames(of: keyPath, from: Root.self))
  }
}

/// A part of a predicate that is true or false.
protocol FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter
}

/// A part of a predicate that names a field.
protocol FieldExpression {
  /// The keys that lead to the field; none for the document as a whole.
  func components() throws(UnsupportedPredicate) -> [String]
}

/// A part of a predicate that is a value.
protocol ValueExpression {
  func documentValue() throws(UnsupportedPredicate) -> DocumentValue
}

/// The names of the properties that a key path goes through.
///
/// The text of a key path is `\Root.property.property`.
func fieldNames(
  of keyPath: AnyKeyPath, from root: Any.Type
) throws(UnsupportedPredicate) -> [String] {
  let text = String(describing: keyPath)
  let prefix = "\\\(root)."
  let names = text.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
    .map { String($0.hasSuffix("?") ? $0.dropLast() : $0) }
  let isPlain = names.allSatisfy { name in
    !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }
  guard text.hasPrefix(prefix), isPlain, names != ["self"] else {
    throw UnsupportedPredicate("the key path \(text) does not name stored properties")
  }
  return names
}

/// A comparison between a field and a value, whichever comes first.
struct FieldComparison {
  let path: FieldPath
  let value: DocumentValue

  /// Whether the value came first.
  let isFlipped: Bool

  init(_ left: Any, _ right: Any) throws(UnsupportedPredicate) {
    switch (left, right) {
    case (let field as any FieldExpression, let value as any ValueExpression):
      path = try Self.path(field)
      self.value = try value.documentValue()
      isFlipped = false
    case (let value as any ValueExpression, let field as any FieldExpression):
      path = try Self.path(field)
      self.value = try value.documentValue()
      isFlipped = true
    default:
      throw UnsupportedPredicate(
        "a filter compares a field with a value, not \(type(of: left)) with \(type(of: right))")
    }
  }

  static func path(_ field: any FieldExpression) throws(UnsupportedPredicate) -> FieldPath {
    let components = try field.components()
    guard !components.isEmpty else { throw UnsupportedPredicate("a filter looks at fields only") }
    return FieldPath(components: components)
  }
}
