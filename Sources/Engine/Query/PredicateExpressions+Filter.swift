import FoundationEssentials

extension PredicateExpressions.Conjunction: FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter {
    .and([try .filter(lhs), try .filter(rhs)])
  }
}

extension PredicateExpressions.Disjunction: FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter {
    .or([try .filter(lhs), try .filter(rhs)])
  }
}

extension PredicateExpressions.Negation: FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter { .not(try .filter(wrapped)) }
}

extension PredicateExpressions.Equal: FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter {
    let comparison = try FieldComparison(lhs, rhs)
    let filter = Filter.equal(comparison.path, comparison.value)
    return comparison.value.isNull ? .or([filter, .not(.exists(comparison.path))]) : filter
  }
}

extension PredicateExpressions.NotEqual: FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter {
    let comparison = try FieldComparison(lhs, rhs)
    let filter = Filter.notEqual(comparison.path, comparison.value)
    return comparison.value.isNull ? .and([filter, .exists(comparison.path)]) : filter
  }
}

extension PredicateExpressions.Comparison: FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter {
    let comparison = try FieldComparison(lhs, rhs)
    let (path, value) = (comparison.path, comparison.value)
    switch (op, comparison.isFlipped) {
    case (.lessThan, false), (.greaterThan, true): return .lessThan(path, value)
    case (.lessThanOrEqual, false), (.greaterThanOrEqual, true):
      return .lessThanOrEqual(path, value)
    case (.greaterThan, false), (.lessThan, true): return .greaterThan(path, value)
    case (.greaterThanOrEqual, false), (.lessThanOrEqual, true):
      return .greaterThanOrEqual(path, value)
    @unknown default: throw UnsupportedPredicate("no filter has the comparison \(op)")
    }
  }
}

extension PredicateExpressions.SequenceContains: FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter {
    let comparison = try FieldComparison(sequence, element)
    guard comparison.isFlipped else { return .contains(comparison.path, comparison.value) }
    guard case .array(let values) = comparison.value else {
      throw UnsupportedPredicate("a field is looked for in arrays and sets only")
    }
    return .isIn(comparison.path, values)
  }
}

extension PredicateExpressions.CollectionContainsCollection: FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter {
    let (path, text) = try fieldAndText(base, other)
    return .contains(path, .string(text))
  }
}

extension PredicateExpressions.SequenceStartsWith: FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter {
    let (path, text) = try fieldAndText(base, prefix)
    return .startsWith(path, text)
  }
}

extension PredicateExpressions.RangeExpressionContains: FilterExpression {
  func filter() throws(UnsupportedPredicate) -> Filter {
    guard let field = element as? any FieldExpression, let range = range as? any BoundsExpression
    else { throw UnsupportedPredicate("no filter says \(Self.self)") }
    let path = try FieldComparison.path(field)
    let (lower, upper, isClosed) = try range.bounds()
    return isClosed
      ? .between(path, lower, upper)
      : .and([.greaterThanOrEqual(path, lower), .lessThan(path, upper)])
  }
}

/// A range whose bounds are values.
private protocol BoundsExpression {
  func bounds() throws(UnsupportedPredicate) -> (DocumentValue, DocumentValue, isClosed: Bool)
}

extension PredicateExpressions.ClosedRange: BoundsExpression {
  func bounds() throws(UnsupportedPredicate) -> (DocumentValue, DocumentValue, isClosed: Bool) {
    (try value(lower), try value(upper), true)
  }
}

extension PredicateExpressions.Range: BoundsExpression {
  func bounds() throws(UnsupportedPredicate) -> (DocumentValue, DocumentValue, isClosed: Bool) {
    (try value(lower), try value(upper), false)
  }
}

extension PredicateExpressions.Value: ValueExpression, FilterExpression {
  func documentValue() throws(UnsupportedPredicate) -> DocumentValue {
    if let value = value as? any DocumentValueConvertible { return value.documentValue }
    if let value = value as? any Encodable, let found = try? DocumentEncoder().value(of: value) {
      return found
    }
    throw UnsupportedPredicate("a \(Output.self) is no value of a document")
  }

  func filter() throws(UnsupportedPredicate) -> Filter {
    guard let value = value as? Bool else {
      throw UnsupportedPredicate("a \(Output.self) is neither true nor false")
    }
    return value ? .and([]) : .or([])
  }
}

extension PredicateExpressions.NilLiteral: ValueExpression {
  func documentValue() -> DocumentValue { .null }
}

extension PredicateExpressions.Variable: FieldExpression {
  func components() -> [String] { [] }
}

extension PredicateExpressions.KeyPath: FieldExpression {
  func components() throws(UnsupportedPredicate) -> [String] {
    guard let root = root as? any FieldExpression else {
      throw UnsupportedPredicate("no filter says \(Self.self)")
    }
    return try root.components() + fieldNames(of: keyPath, from: Root.Output.self)
  }
}

/// The parts of a search for text in a field.
private func fieldAndText(
  _ field: Any, _ text: Any
) throws(UnsupportedPredicate) -> (FieldPath, String) {
  let comparison = try FieldComparison(field, text)
  guard !comparison.isFlipped, case .string(let text) = comparison.value else {
    throw UnsupportedPredicate("a filter looks for text in fields only")
  }
  return (comparison.path, text)
}

private func value(_ expression: Any) throws(UnsupportedPredicate) -> DocumentValue {
  guard let expression = expression as? any ValueExpression else {
    throw UnsupportedPredicate("\(type(of: expression)) is no value")
  }
  return try expression.documentValue()
}
