/// A result in JSON, with its fields in the order in which they were written down.
package indirect enum JSONOutput: Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case unsigned(UInt64)
  case seconds(Double)
  case string(String)
  case array([JSONOutput])
  case object([(String, JSONOutput)])

  /// Text that is JSON already, such as a document.
  case text(String)

  /// The value in one line.
  package var line: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .unsigned(let value): String(value)
    case .seconds(let value): String((value * 1000).rounded() / 1000)
    case .string(let value): Self.quoted(value)
    case .text(let value): value
    case .array(let elements): "[" + elements.map(\.line).joined(separator: ",") + "]"
    case .object(let fields):
      "{" + fields.map { Self.quoted($0.0) + ":" + $0.1.line }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\u{00}"..."\u{1F}", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
