/// One value of a document, without a Swift type of its own.
///
/// Two values are equal if the order of values (see `OrderedKey`) puts neither before the other:
/// numbers compare exactly whatever their case is, strings and binaries by their bytes, maps
/// whatever the order of their entries is.
public enum DocumentValue: Sendable {
  /// The value that says that there is none.
  case null

  /// True or false.
  case bool(Bool)

  /// A whole number.
  case integer(Int64)

  /// A whole number that only `UInt64` holds; a smaller one is an ``integer(_:)``.
  case unsigned(UInt64)

  /// A floating-point number; dates are seconds since 2001, as in Foundation.
  case double(Double)

  /// Text, compared by its UTF-8 bytes, without normalization.
  case string(String)

  /// Bytes.
  case binary([UInt8])

  /// Values in order.
  case array([DocumentValue])

  /// Values by name.
  case map(DocumentMap)

  /// A whole number, in the case that its size asks for.
  public init(unsigned value: UInt64) {
    self = Int64(exactly: value).map(Self.integer) ?? .unsigned(value)
  }

  /// Whether this is ``null``.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}
