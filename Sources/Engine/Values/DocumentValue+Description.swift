extension DocumentValue: CustomStringConvertible {
  /// The value for people, close to how JSON writes it.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .unsigned(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): "\"\(text)\""
    case .binary(let bytes): "\(bytes.count) bytes"
    case .array(let elements): "an array of \(elements.count)"
    case .map(let entries): "a map of \(entries.count)"
    }
  }
}
