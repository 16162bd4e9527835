/// Why bytes could not be read as what they should be.
package enum FormatError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The bytes end before the value does.
  case truncated

  /// A length or count is larger than its limit or than the bytes that remain.
  case lengthOutOfRange(UInt64)

  /// A checksum, tag or digest does not match.
  case checksumMismatch

  /// Nesting is deeper than the limit.
  case tooDeep

  /// The bytes are of a newer or unknown format.
  case unsupported(String)

  /// The bytes break a rule of the format, named here.
  case invalid(String)

  /// The reason, in words that fit behind "cannot be read:".
  package var description: String {
    switch self {
    case .truncated: "the bytes end too early"
    case .lengthOutOfRange(let length): "a length of \(length) is out of range"
    case .checksumMismatch: "the checksum does not match"
    case .tooDeep: "the nesting is too deep"
    case .unsupported(let what): "\(what) is not supported; a newer version may have written it"
    case .invalid(let what): what
    }
  }
}
