/// How large things in a store may become. Above a limit a write is refused, and names it.
package enum StorageLimits {
  /// Bytes of one slot's payload, as stored.
  package static let payloadSize = RecordEntry.payloadLengthLimit - 1

  /// Bytes of all slots of one batch.
  package static let batchSize = 256 << 20

  /// Records of one batch.
  package static let batchCount = 1 << 24

  /// Shards of one collection. The numbers above serve compaction, which has two files at a time.
  package static let shardCount = 65_000

  /// Free slots that may be used again before the next checkpoint, so that recovery looks at few.
  package static let activeFreeSlotCount = 4_096

  /// Damaged places that one report names.
  package static let damageCount = 1_024

  /// Bytes that one read of a scan takes in.
  package static let scanWindowSize = 4 << 20

  /// Bytes that one step of retiring or compacting reads.
  package static let retireWindowSize = 64 << 10
}
