/// The author of changes: eight random bytes, never chosen and never used again.
///
/// A replica that lost state takes a new one before its next write, so that a dot names one
/// write for ever.
public struct ReplicaID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package static let size = 8

  /// The bytes, first byte highest, so that the order of numbers is the order of bytes.
  package let number: UInt64

  package init(number: UInt64) { self.number = number }

  /// A new identity, drawn with the system's generator.
  public static func random() -> ReplicaID {
    var generator = SystemRandomNumberGenerator()
    return ReplicaID(number: generator.next())
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    number = try reader.readUInt64().byteSwapped
  }

  package func encode(into writer: inout ByteWriter) { writer.write(number.byteSwapped) }

  // The order of the bytes.
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public static func < (left: ReplicaID, right: ReplicaID) -> Bool { left.number < right.number }

  /// The bytes as sixteen hexadecimal digits.
  public var description: String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
