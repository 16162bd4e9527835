package import NyaruEngine

/// Sixteen bytes that name something: random, or a tag that only key holders can compute.
package struct Identity: Hashable, Comparable, Sendable, CustomStringConvertible {
  package static let size = 16

  /// Sixteen zero bytes: nothing yet.
  package static let none = Identity(high: 0, low: 0)

  /// The first eight bytes, first byte highest; so the order of numbers is the order of bytes.
  package let high: UInt64

  /// The last eight bytes.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The first sixteen of the bytes, or `nil` if there are fewer.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count >= Self.size else { return nil }
    func number(_ bytes: some Collection<UInt8>) -> UInt64 {
      bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
    high = number(bytes.prefix(8))
    low = number(bytes.dropFirst(8).prefix(8))
  }

  /// The 32 hexadecimal digits of a name, or `nil` if the text is anything else.
  package init?(hexadecimal text: some StringProtocol) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  package static func random() -> Identity {
    var generator = SystemRandomNumberGenerator()
    return Identity(high: generator.next(), low: generator.next())
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    high = try reader.readUInt64().byteSwapped
    low = try reader.readUInt64().byteSwapped
  }

  package func encode(into writer: inout ByteWriter) {
    writer.write(high.byteSwapped)
    writer.write(low.byteSwapped)
  }

  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    encode(into: &writer)
    return writer.finish()
  }

  package static func < (left: Identity, right: Identity) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  package var description: String { hexadecimal(high) + hexadecimal(low) }
}

/// A logical data set: what its replicas share.
package typealias VaultID = Identity

/// A collection as an endpoint knows it.
package typealias CollectionTag = Identity

/// A record as an endpoint knows it.
package typealias RecordTag = Identity

/// One history of a collection at an endpoint; any loss of it makes a new one.
package typealias Epoch = Identity

/// Random bytes of one commit at an endpoint: the same value means the same history up to there.
package typealias ChainValue = Identity

/// Random bytes that a client draws for each session, so that a copy of it is found.
package typealias Ticket = Identity

/// The number as sixteen hexadecimal digits.
package func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
