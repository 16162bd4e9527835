internal import NyaruEngine

/// A set of heads as a number: how many, and the sum of their items, in any order.
///
///     item := the first 16 bytes of SHA-256(record tag u8[16], state tag u8[8]), as a number,
///             first byte highest
///     root := the sum of the items of all heads that are no deletions, modulo 2^128
///
/// Items are added and taken away one by one, so nobody recomputes the sum of a million records.
package struct DigestSum: Hashable, Sendable {
  package private(set) var count: UInt64
  package private(set) var root: Identity

  package init(count: UInt64 = 0, root: Identity = .none) {
    self.count = count
    self.root = root
  }

  package mutating func insert(_ header: EnvelopeHeader) {
    if header.isDeletion { return }
    let item = Self.item(header)
    let low = root.low.addingReportingOverflow(item.low)
    root = Identity(high: root.high &+ item.high &+ (low.overflow ? 1 : 0), low: low.partialValue)
    count &+= 1
  }

  package mutating func remove(_ header: EnvelopeHeader) {
    if header.isDeletion { return }
    let item = Self.item(header)
    let low = root.low.subtractingReportingOverflow(item.low)
    root = Identity(high: root.high &- item.high &- (low.overflow ? 1 : 0), low: low.partialValue)
    count &-= 1
  }

  private static func item(_ header: EnvelopeHeader) -> Identity {
    var writer = ByteWriter(capacity: 24)
    header.record.encode(into: &writer)
    writer.write(header.stateTag.byteSwapped)
    // A hash is longer than an identity.
    return Identity(SHA256.hash(writer.bytes.span)) ?? .none
  }
}
