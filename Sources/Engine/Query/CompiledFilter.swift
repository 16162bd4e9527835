/// A filter made ready to be tried on many documents.
///
/// It works on the encoded bytes, and is the only place that knows what a filter means. Of a
/// document only the fields that the filter names are looked at.
package struct CompiledFilter: Sendable {
  /// Which ways of standing to an operand count.
  fileprivate struct Relation: Sendable {
    var before = false
    var equal = false
    var behind = false

    func includes(_ comparison: FilterOperand.Comparison?) -> Bool {
      switch comparison {
      case .before: before
      case .equal: equal
      case .behind: behind
      case nil: false
      }
    }
  }

  /// One condition on a value that is there.
  fileprivate enum Test: Sendable {
    case exists
    case compare(Relation, FilterOperand)
    case between(FilterOperand, FilterOperand)
    case isIn([FilterOperand])
    case text(TextPattern)
    case contains(FilterOperand, TextPattern?)
  }

  fileprivate indirect enum Node: Sendable {
    case field(FieldPath, Test)
    case and([Node])
    case or([Node])
    case not(Node)
  }

  package let filter: Filter
  private let root: Node

  package init(_ filter: Filter) {
    self.filter = filter
    root = Node(filter)
  }

  /// Whether the document matches.
  package func matches(_ body: [UInt8], format: BodyFormat) throws(FormatError) -> Bool {
    try matches(body.span, format: format)
  }

  /// Whether the document matches.
  package func matches(_ body: Span<UInt8>, format: BodyFormat) throws(FormatError) -> Bool {
    guard format == .json else { return try root.matches(body) }
    let bytes = try format.messagePack(body)
    return try root.matches(bytes.span)
  }
}

extension CompiledFilter.Node {
  fileprivate init(_ filter: Filter) {
    switch filter {
    case .equal(let path, let value): self = .compare(path, value, .init(equal: true))
    case .notEqual(let path, let value): self = .not(.compare(path, value, .init(equal: true)))
    case .lessThan(let path, let value): self = .compare(path, value, .init(before: true))
    case .lessThanOrEqual(let path, let value):
      self = .compare(path, value, .init(before: true, equal: true))
    case .greaterThan(let path, let value): self = .compare(path, value, .init(behind: true))
    case .greaterThanOrEqual(let path, let value):
      self = .compare(path, value, .init(equal: true, behind: true))
    case .between(let path, let lower, let upper):
      self = .field(path, .between(FilterOperand(lower), FilterOperand(upper)))
    case .isIn(let path, let values): self = .field(path, .isIn(values.map { FilterOperand($0) }))
    case .like(let path, let pattern): self = .field(path, .text(TextPattern(like: pattern)))
    case .glob(let path, let pattern): self = .field(path, .text(TextPattern(glob: pattern)))
    case .startsWith(let path, let text): self = .field(path, .text(TextPattern(prefix: text)))
    case .endsWith(let path, let text): self = .field(path, .text(TextPattern(suffix: text)))
    case .contains(let path, let value):
      var pattern: TextPattern?
      if case .string(let text) = value { pattern = TextPattern(infix: text) }
      self = .field(path, .contains(FilterOperand(value), pattern))
    case .exists(let path): self = .field(path, .exists)
    case .and(let filters): self = .and(filters.map { Self($0) })
    case .or(let filters): self = .or(filters.map { Self($0) })
    case .not(let filter): self = .not(Self(filter))
    }
  }

  private static func compare(
    _ path: FieldPath, _ value: DocumentValue, _ relation: CompiledFilter.Relation
  ) -> Self {
    .field(path, .compare(relation, FilterOperand(value)))
  }

  fileprivate func matches(_ body: Span<UInt8>) throws(FormatError) -> Bool {
    switch self {
    case .field(let path, let test):
      var reader = MessagePackReader(body)
      guard try reader.seek(path) else { return false }
      return try test.matches(&reader)
    case .and(let nodes):
      for node in nodes where try !node.matches(body) { return false }
      return true
    case .or(let nodes):
      for node in nodes where try node.matches(body) { return true }
      return false
    case .not(let node): return try !node.matches(body)
    }
  }
}

extension CompiledFilter.Test {
  fileprivate func matches(_ reader: inout MessagePackReader) throws(FormatError) -> Bool {
    switch self {
    case .exists: return true
    case .compare(let relation, let operand):
      return relation.includes(try operand.compare(&reader))
    case .between(let lower, let upper):
      var again = reader
      guard let left = try lower.compare(&reader), left != .before else { return false }
      guard let right = try upper.compare(&again) else { return false }
      return right != .behind
    case .isIn(let operands):
      for operand in operands {
        var again = reader
        if try operand.compare(&again) == .equal { return true }
      }
      return false
    case .text(let pattern):
      guard case .string(let size) = try reader.readHeader() else { return false }
      return pattern.matches(try reader.readBytes(spanOf: size))
    case .contains(let operand, let pattern):
      switch try reader.readHeader() {
      case .string(let size):
        return pattern?.matches(try reader.readBytes(spanOf: size)) ?? false
      case .array(let count):
        for _ in 0..<count where try operand.compare(&reader) == .equal { return true }
        return false
      default: return false
      }
    }
  }
}
