/// One record to be written: a new version, or the marker of a deletion.
package final class RecordWrite: Sendable {
  /// The id, as order-preserving bytes.
  package let idKey: [UInt8]

  /// The partition value. A deletion goes to the shard of what it deletes, if that exists.
  package let shardKey: String

  package let isDeletion: Bool

  /// The complete prelude: with the id, and with the raw length if the body is compressed.
  package let prelude: [UInt8]

  /// The bodies, compressed by the method.
  package let bodySection: [UInt8]

  package let compression: SlotCompression

  /// One key for each index, `nil` where the record has no such field; empty for a deletion.
  package let indexKeys: [[UInt8]?]

  /// The keys of the version that this one replaces. Without them the store reads that version.
  package let previousIndexKeys: [[UInt8]?]?

  package init(
    idKey: [UInt8], shardKey: String = "default", isDeletion: Bool = false, prelude: [UInt8],
    bodySection: [UInt8] = [], compression: SlotCompression = .none,
    indexKeys: [[UInt8]?] = [], previousIndexKeys: [[UInt8]?]? = nil
  ) {
    self.idKey = idKey
    self.shardKey = shardKey
    self.isDeletion = isDeletion
    self.prelude = prelude
    self.bodySection = bodySection
    self.compression = compression
    self.indexKeys = indexKeys
    self.previousIndexKeys = previousIndexKeys
  }
}
