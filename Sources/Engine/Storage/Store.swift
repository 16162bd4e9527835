/// One collection on disk: slots, indexes, and every rule about their durability.
///
/// A store is synchronous and knows nothing of tasks. One owner calls it, one call at a time;
/// readers on other threads use ``reader``, and wait for it only while memory changes.
package final class Store {
  package let reader: StoreReader
  package let openReport: OpenReport
  package private(set) var nextSequence: UInt64 = 1

  /// The error that made the store refuse writes, if one did.
  package private(set) var poison: IOError?

  /// A checkpoint is due: enough was written since the last one.
  package var needsCheckpoint: Bool { false }

  /// Whether deletion markers stay; a collection that never synced may let go of them.
  package var keepsDeletionMarkers: Bool

  init(configuration: StoreConfiguration, source: SlotSource) {
    reader = StoreReader(source: source)
    openReport = OpenReport()
    keepsDeletionMarkers = configuration.keepsDeletionMarkers
  }

  /// Opens the collection in the directory, recovers it after a crash, or creates it.
  package static func open(
    directory: any Directory, configuration: StoreConfiguration
  ) throws(StorageError) -> Store {
    throw .closed
  }

  /// Writes the records under the next sequences: all or nothing, whatever happens.
  ///
  /// - Returns: The first sequence.
  @discardableResult
  package func commit(
    _ records: [RecordWrite], isGroup: Bool = false
  ) throws(StorageError) -> UInt64 {
    throw .closed
  }

  /// What must reach the disk for everything written so far to be durable; `nil` if nothing.
  ///
  /// One work is in flight at a time: this returns it, if there is one.
  package func beginSync() throws(StorageError) -> SyncWork? { throw .closed }

  /// Takes over the outcome of a work that has run. Calling it twice does no harm.
  package func finishSync(_ work: SyncWork) throws(StorageError) { throw .closed }

  /// Returns when everything that was written is durable.
  package func sync() throws(StorageError) { throw .closed }

  /// Writes down the state, so that the next open need not read the slots.
  package func checkpoint() throws(StorageError) { throw .closed }

  /// Starts to move what is live out of shards with at least this share of garbage.
  ///
  /// - Returns: Whether there are any.
  package func beginCompaction(minimumGarbage: Double = 0) throws(StorageError) -> Bool {
    throw .closed
  }

  /// Copies a few megabytes; writes may happen between steps.
  ///
  /// - Returns: Whether the compaction is finished.
  package func stepCompaction() throws(StorageError) -> Bool { throw .closed }

  /// Gives the space of all garbage back.
  package func compact() throws(StorageError) { throw .closed }

  /// Makes everything durable and ends the use of the store.
  package func close() throws(StorageError) { throw .closed }

  /// Reads every byte and compares it with what memory says.
  package func check() throws(StorageError) -> CheckReport { throw .closed }

  /// Builds the indexes that are new in one scan, and drops the others.
  package func replaceIndexes(
    _ indexes: [IndexDefinition], extractKeys: @escaping StoreConfiguration.KeyExtractor
  ) throws(StorageError) { throw .closed }
}
