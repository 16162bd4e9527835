public import FoundationEssentials

/// What can stand as a value in a query, a patch or an id.
///
/// The value is the one that the type encodes to in a document.
public protocol DocumentValueConvertible {
  /// What the value is in a document.
  var documentValue: DocumentValue { get }
}

extension DocumentValue: DocumentValueConvertible {
  /// The value itself.
  public var documentValue: DocumentValue { self }
}

extension DocumentMap: DocumentValueConvertible {
  /// The map as a value.
  public var documentValue: DocumentValue { .map(self) }
}

extension Bool: DocumentValueConvertible {
  /// A ``DocumentValue/bool(_:)``.
  public var documentValue: DocumentValue { .bool(self) }
}

extension String: DocumentValueConvertible {
  /// A ``DocumentValue/string(_:)``.
  public var documentValue: DocumentValue { .string(self) }
}

extension Substring: DocumentValueConvertible {
  /// A ``DocumentValue/string(_:)``.
  public var documentValue: DocumentValue { .string(String(self)) }
}

extension Double: DocumentValueConvertible {
  /// A ``DocumentValue/double(_:)``.
  public var documentValue: DocumentValue { .double(self) }
}

extension Float: DocumentValueConvertible {
  /// A ``DocumentValue/double(_:)`` of the same value.
  public var documentValue: DocumentValue { .double(Double(self)) }
}

extension BinaryInteger where Self: FixedWidthInteger {
  /// A whole number of at most 64 bits.
  public var documentValue: DocumentValue {
    Int64(exactly: self).map(DocumentValue.integer) ?? .unsigned(UInt64(truncatingIfNeeded: self))
  }
}

extension Int: DocumentValueConvertible {}
extension Int8: DocumentValueConvertible {}
extension Int16: DocumentValueConvertible {}
extension Int32: DocumentValueConvertible {}
extension Int64: DocumentValueConvertible {}
extension UInt: DocumentValueConvertible {}
extension UInt8: DocumentValueConvertible {}
extension UInt16: DocumentValueConvertible {}
extension UInt32: DocumentValueConvertible {}
extension UInt64: DocumentValueConvertible {}

extension UUID: DocumentValueConvertible {
  /// The string of `uuidString`.
  public var documentValue: DocumentValue { .string(uuidString) }
}

extension Date: DocumentValueConvertible {
  /// Seconds since 2001-01-01 00:00 UTC.
  public var documentValue: DocumentValue { .double(timeIntervalSinceReferenceDate) }
}

extension Data: DocumentValueConvertible {
  /// A ``DocumentValue/binary(_:)``.
  public var documentValue: DocumentValue { .binary([UInt8](self)) }
}

extension URL: DocumentValueConvertible {
  /// The string of `absoluteString`.
  public var documentValue: DocumentValue { .string(absoluteString) }
}

extension Decimal: DocumentValueConvertible {
  /// The number, if 64 bits or a double hold it exactly, otherwise its digits as a string.
  ///
  /// A double holds a decimal if its shortest text is that decimal.
  public var documentValue: DocumentValue {
    let text = description
    if let integer = Int64(text) { return .integer(integer) }
    if let integer = UInt64(text) { return .unsigned(integer) }
    if isNaN { return .double(.nan) }
    if let double = Double(text), Decimal(string: double.description) == self {
      return .double(double)
    }
    return .string(text)
  }
}

extension Optional: DocumentValueConvertible where Wrapped: DocumentValueConvertible {
  /// The wrapped value, or ``DocumentValue/null``.
  public var documentValue: DocumentValue { self?.documentValue ?? .null }
}

extension Array: DocumentValueConvertible where Element: DocumentValueConvertible {
  /// An array of the elements' values.
  public var documentValue: DocumentValue { .array(map(\.documentValue)) }
}

extension Dictionary: DocumentValueConvertible
where Key == String, Value: DocumentValueConvertible {
  /// A map of the values, in the order of their keys' bytes.
  public var documentValue: DocumentValue {
    let sorted = self.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return .map(DocumentMap(uniqueEntries: sorted.map { ($0.key, $0.value.documentValue) }))
  }
}

extension DocumentValueConvertible
where Self: RawRepresentable, RawValue: DocumentValueConvertible {
  /// The raw value's.
  public var documentValue: DocumentValue { rawValue.documentValue }
}
