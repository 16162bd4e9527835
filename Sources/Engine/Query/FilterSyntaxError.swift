/// Why an expression is not a filter, and where.
public struct FilterSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The expression.
  public let text: String

  /// Characters from the start of the expression to what is wrong.
  public let position: Int

  /// What is wrong there.
  public let reason: String

  package init(text: String, position: Int, reason: String) {
    self.text = text
    self.position = position
    self.reason = reason
  }

  /// The reason, then the expression with a caret below what is wrong.
  public var description: String {
    "\(reason)\n  \(text)\n  \(String(repeating: " ", count: position))^"
  }
}

extension Filter {
  /// A filter in the notation of the command: `age >= 18 and country in ("BR", "PT")`.
  ///
  /// Comparisons are `== != < <= > >=`, `in (…)`, `like`, `glob` and `exists FIELD`, joined by
  /// `and`, `or`, `not` and parentheses. Values are JSON. A field is a path with dots.
  public init(parsing text: String) throws(FilterSyntaxError) {
    var parser = FilterParser(text)
    self = try parser.parse()
  }
}
