/// What a collection has done since it was opened: counters that only grow.
///
/// Take them before and after to see what a piece of work costs, for instance whether a query that
/// should be answered by an index is. All types of one collection's handles share them.
public struct CollectionMetrics: Sendable, Equatable {
  /// How queries found their documents.
  public internal(set) var queries = QueryMetrics()

  /// What was read from and written to the disk.
  public internal(set) var storage: StorageMetrics

  /// What opening the collection took, and what it found.
  public let recovery: RecoveryReport
}

/// How the queries of a collection found their documents.
public struct QueryMetrics: Sendable, Equatable {
  /// Single documents that were asked for by id.
  public internal(set) var gets = 0

  /// Queries that looked up single ids.
  public internal(set) var idLookups = 0

  /// Queries that walked a range of ids.
  public internal(set) var idRanges = 0

  /// Queries that walked ranges of an index.
  public internal(set) var indexScans = 0

  /// Queries that read the documents of single partitions.
  public internal(set) var partitionScans = 0

  /// Queries that read every document.
  public internal(set) var fullScans = 0

  /// Queries that were answered from memory, without reading a document.
  public internal(set) var covered = 0

  /// Streams that were begun.
  public internal(set) var streams = 0

  /// Documents that were tried against a query's conditions.
  public internal(set) var documentsExamined = 0

  /// Documents that queries and streams returned.
  public internal(set) var documentsReturned = 0
}

/// What a collection has read from and written to the disk, in calls and bytes.
public struct StorageMetrics: Sendable, Equatable {
  /// Records that were read.
  public let reads: UInt64

  /// Bytes that were read for them.
  public let bytesRead: UInt64

  /// Records that were to be read and did not read.
  public let unreadableRecords: UInt64

  /// Versions that were written: inserts, updates, deletions, and what a sync brought.
  public let writes: UInt64

  /// Bytes of their slots.
  public let bytesWritten: UInt64

  /// Flushes of the disk, those of checkpoints among them.
  public let syncs: UInt64

  /// Checkpoints.
  public let checkpoints: UInt64

  /// Bytes of the checkpoints' files.
  public let checkpointBytes: UInt64

  /// Compactions that ended.
  public let compactions: UInt64

  /// Bytes that compactions wrote.
  public let bytesMoved: UInt64

  /// Bytes that compactions gave back.
  public let bytesReclaimed: UInt64

  init(_ activity: StoreActivity) {
    reads = activity.reads
    bytesRead = activity.readSize
    unreadableRecords = activity.unreadable
    writes = activity.writes
    bytesWritten = activity.writtenSize
    syncs = activity.syncs
    checkpoints = activity.checkpoints
    checkpointBytes = activity.checkpointSize
    compactions = activity.compactions
    bytesMoved = activity.movedSize
    bytesReclaimed = activity.reclaimedSize
  }
}
