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

  /// Sizes and counts of the collection as it is now.
  public func stats() async -> CollectionStatistics {
    CollectionStatistics(core.reader.statistics)
  }

  /// What was done to the collection since it was opened, and what opening it found.
  public func metrics() async -> CollectionMetrics {
    CollectionMetrics(
      queries: core.counters.metrics, storage: StorageMetrics(core.reader.statistics.activity),
      recovery: RecoveryReport(core.openReport))
  }
}
