/// A value to compare fields with, in the form in which comparing is quick.
///
/// Comparing is the order of `OrderedKey`, so that an index and a look at each document agree.
struct FilterOperand: Sendable {
  /// How a field stands to the operand.
  enum Comparison {
    case before, equal, behind
  }

  private enum Content: Sendable {
    case null
    case bool(Bool)
    case number(NumberKey)
    case string([UInt8])
    case binary([UInt8])

    /// The ordered key of an array or map.
    case key([UInt8])

    /// A value with more levels than a document has, which no field is like.
    case nothing
  }

  private let content: Content

  init(_ value: DocumentValue) {
    switch value {
    case .null: content = .null
    case .bool(let value): content = .bool(value)
    case .integer(let value): content = .number(NumberKey(value))
    case .unsigned(let value): content = .number(NumberKey(value))
    case .double(let value): content = .number(NumberKey(value))
    case .string(let value): content = .string(Array(value.utf8))
    case .binary(let value): content = .binary(value)
    case .array, .map: content = (try? OrderedKey.key(of: value)).map(Content.key) ?? .nothing
    }
  }

  /// How the value that comes next stands to the operand, or `nil` if it is of another kind.
  ///
  /// The value is read, whatever it is.
  func compare(_ reader: inout MessagePackReader) throws(FormatError) -> Comparison? {
    let start = reader
    let header = try reader.readHeader()
    switch (header, content) {
    case (.null, .null): return .equal
    case (.bool(let left), .bool(let right)):
      return left == right ? .equal : right ? .before : .behind
    case (.integer(let left), .number(let right)): return Self.order(NumberKey(left), right)
    case (.unsigned(let left), .number(let right)): return Self.order(NumberKey(left), right)
    case (.double(let left), .number(let right)): return Self.order(NumberKey(left), right)
    case (.string(let size), .string(let right)), (.binary(let size), .binary(let right)):
      return Self.order(try reader.readBytes(spanOf: size), right.span)
    case (.array, .key(let right)) where right.first == OrderedKey.Tag.array,
      (.map, .key(let right)) where right.first == OrderedKey.Tag.map:
      var left: [UInt8] = []
      reader = start
      try OrderedKey.encodeItem(&reader, into: &left)
      return Self.order(left.span, right.span)
    default:
      reader = start
      try reader.skipValue()
      return nil
    }
  }

  private static func order(_ left: NumberKey, _ right: NumberKey) -> Comparison {
    left == right ? .equal : left < right ? .before : .behind
  }

  private static func order(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Comparison {
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
      return left[index] < right[index] ? .before : .behind
    }
    return left.count == right.count ? .equal : left.count < right.count ? .before : .behind
  }
}
