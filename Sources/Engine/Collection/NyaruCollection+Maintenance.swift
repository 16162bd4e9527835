/// Durability and space.
extension NyaruCollection {
  /// Returns when everything written so far survives a power cut.
  ///
  /// Writes go on meanwhile, and calls that overlap share one flush.
  ///
  /// - Throws: ``NyaruError/storageFailed(operation:path:errno:)``; the collection then refuses
  ///   writes until the database is opened again, since nobody knows what is on the disk.
  public func sync() async throws(NyaruError) { try await core.sync() }

  /// Gives the space of deleted and replaced documents back, shard by shard.
  ///
  /// Reads and writes go on between its steps. It may be interrupted at any time.
  public func compact() async throws(NyaruError) { try await core.compact() }

  /// Whether the share of garbage is above the database's `maxFragmentation`.
  public func needsCompaction() async throws(NyaruError) -> Bool {
    core.reader.statistics.fragmentation > core.policy.maxFragmentation
  }

  /// Sizes and counts of the collection.
  public func stats() async -> CollectionStatistics {
    CollectionStatistics(core.reader.statistics)
  }
}

/// Sizes and counts of one collection.
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

  /// The share of garbage, 0 to 1.
  public let fragmentation: Double

  init(_ statistics: StoreStatistics) {
    documents = statistics.liveCount
    deletionMarkers = statistics.deletionMarkers
    shards = statistics.shards
    size = statistics.size
    liveSize = statistics.liveSize
    fragmentation = statistics.fragmentation
  }
}

extension StoreStatistics {
  /// The share of garbage, 0 to 1.
  var fragmentation: Double { size == 0 ? 0 : Double(garbage) / Double(size) }
}
