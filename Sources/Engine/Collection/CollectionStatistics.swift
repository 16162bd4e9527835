/// Sizes and counts of one collection, at one moment.
public struct CollectionStatistics: Sendable, Equatable {
  /// Documents.
  public let documents: Int

  /// Markers of deletions, kept for other replicas.
  public let deletionMarkers: Int

  /// Shard files.
  public let shards: Int

  /// Bytes of all shard files.
  public let size: UInt64

  /// Bytes of what is current.
  public let liveSize: UInt64

  /// Bytes of what is not, which compaction gives back.
  public let garbageSize: UInt64

  /// Bytes of garbage that later writes may use.
  public let freeSize: UInt64

  /// The share of garbage, 0 to 1.
  public let fragmentation: Double

  /// Snapshots and streams that are held, and keep the space of what they see.
  public let snapshots: Int

  /// The number of the last change.
  public let lastSequence: UInt64

  /// The last change that is sure to survive a power cut, with all before it.
  public let durableSequence: UInt64

  init(_ statistics: StoreStatistics) {
    documents = statistics.liveCount
    deletionMarkers = statistics.deletionMarkers
    shards = statistics.shards
    size = statistics.size
    liveSize = statistics.liveSize
    garbageSize = statistics.garbage
    freeSize = statistics.freeSize
    fragmentation = statistics.fragmentation
    snapshots = statistics.pins
    lastSequence = statistics.lastSequence
    durableSequence = statistics.durableSequence
  }
}

extension StoreStatistics {
  /// The share of garbage, 0 to 1.
  var fragmentation: Double { size == 0 ? 0 : Double(garbage) / Double(size) }
}
