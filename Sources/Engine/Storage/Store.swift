import Synchronization

/// One collection on disk: slots, indexes, and every rule about their durability.
///
/// A store is synchronous and knows nothing of tasks. One owner calls it, one call at a time;
/// readers on other threads use ``reader``, and wait for it only while memory changes.
///
/// - Invariants: A version, once written, is never changed. The bytes of a version that any
///   checkpoint, snapshot or reader may need are not written until its successor is durable and
///   named. After a failed write or sync nothing is written any more.
package final class Store {
  package let reader: StoreReader
  package internal(set) var openReport = OpenReport()

  /// The error that made the store refuse writes, if one did.
  package internal(set) var poison: IOError? {
    didSet {
      if let poison, oldValue == nil { logPoison(poison) }
    }
  }

  /// Whether deletion markers stay; a collection that never synced may let go of them.
  package var keepsDeletionMarkers: Bool

  var configuration: StoreConfiguration
  let directory: any Directory
  let shardDirectory: any Directory
  let source: SlotSource
  var head: Head
  var isClosed = false

  /// The sequence that the next write takes.
  package internal(set) var nextSequence: UInt64

  /// Everything up to this sequence is durable.
  var durableSequence: UInt64 = 0

  /// The current checkpoint, and the sequence that followed it; 0 if a recovery wrote it.
  var generation: UInt64 = 0
  var checkpointStart: UInt64 = 0

  /// What was written behind the checkpoint, in bytes.
  var appendedSize: UInt64 = 0

  /// What was written into free slots since the checkpoint, in bytes.
  var reusedSize: UInt64 = 0

  /// The checkpoint does not say what memory says, though nothing was written.
  var isCheckpointStale = false

  /// What the writer knows of the shards, by number.
  var shardStates: [ShardState?] = []

  /// The parts to which the next records and changes are added were read.
  var hasReadEnds = false

  /// Numbers below their count that no shard has.
  var freeNumbers: [Int] = []

  /// The shard that takes the slots of a partition, by file name and by key.
  var partitions: [String: Int] = [:]
  var shardNumbers = ShardNumbers()

  /// Files with writes that are not durable, by shard.
  var dirty: [Int: any File] = [:]
  var hasFreshNames = false
  var inFlight: SyncWork?

  var free = FreeSlots()

  /// What opening has found behind the checkpoint, as long as the writer has not seen to it.
  var tail: RecoveredTail?

  /// Slots that were replaced since the checkpoint.
  var superseded: [DeadSlot] = []

  /// Slots that are retired, and that a snapshot still needs.
  var pinned: [DeadSlot] = []

  var compaction: Compaction?

  /// Files that a compaction has replaced, and that a snapshot still needs.
  var zombies: [ReplacedShard] = []

  /// One buffer for all single writes.
  var buffer: [UInt8] = []

  init(
    directory: any Directory, shardDirectory: any Directory, head: Head,
    configuration: StoreConfiguration, image: StoreImage
  ) {
    self.directory = directory
    self.shardDirectory = shardDirectory
    self.head = head
    self.configuration = configuration
    keepsDeletionMarkers = configuration.keepsDeletionMarkers
    let names = configuration.names
    let scope = Names.Scope.shard(collectionID: configuration.collectionID)
    var state = SharedState(
      indexCount: configuration.indexes.count, openFileLimit: configuration.openFileLimit / 2)
    state.image = image
    source = SlotSource(
      state: state,
      codec: configuration.makeCodec(),
      directory: shardDirectory, partition: { names.fileName(for: $0, in: scope) })
    reader = StoreReader(source: source)
    nextSequence = image.lastSequence + 1
  }

  /// Opens the collection in the directory, recovers it after a crash, or creates it.
  package static func open(
    directory: any Directory, configuration: StoreConfiguration
  ) throws(StorageError) -> Store {
    let store = try StoreOpening(directory: directory, configuration: configuration).open()
    store.beginCounting()
    store.logOpening()
    return store
  }

  /// What was done from here on counts.
  private func beginCounting() {
    let free = free
    source.state.withLock { state in
      state.noteFree(free)
      state.statistics.activity = StoreActivity()
    }
  }

  var codec: PayloadCodec { source.codec }

  /// Slots may refer to these dictionaries from now on: the manifest that has them is durable.
  package func useDictionaries(_ dictionaries: [DeflateDictionary]) { codec.use(dictionaries) }

  /// The state that readers see.
  var image: StoreImage {
    settle()
    return source.state.withLock { $0.image }
  }

  /// A checkpoint is due: enough was written since the last one, or it makes more slots free and
  /// costs less than what was written.
  package var needsCheckpoint: Bool {
    if appendedSize > configuration.checkpointInterval {
      return appendedSize > source.state.withLock { $0.image.liveSize } / 4
    }
    guard free.activeCount == 0, !free.inactive.isEmpty else { return false }
    return appendedSize + reusedSize > source.state.withLock { $0.image.liveSize }
  }

  func checkWritable() throws(StorageError) {
    if isClosed { throw .closed }
    if let poison { throw .poisoned(poison) }
  }

  /// Runs calls after whose failure nobody knows what is on disk.
  func poisoning<Value>(
    _ body: () throws(IOError) -> Value
  ) throws(StorageError) -> Value {
    do {
      return try body()
    } catch {
      poison = error
      throw .io(error)
    }
  }

  /// Makes the whole store durable and lets go of it.
  ///
  /// A short tail behind the checkpoint stays as it is: the next open reads it again. So a few
  /// writes to a large collection cost no checkpoint.
  ///
  /// - Throws: ``StorageError/poisoned(_:)`` if writes had failed; it is closed nevertheless.
  package func close() throws(StorageError) {
    guard !isClosed else { return }
    defer { isClosed = true }
    if let poison { throw .poisoned(poison) }
    abandonCompaction()
    try rebuild()
    try takeOverSync()
    if head.cell.isClosed, !isCheckpointStale { return }
    // What a tail that nobody has needed changes in the limit is little.
    if isCheckpointStale || appendedSize > tailSizeLimit {
      try checkpoint()
    } else {
      try sync()
    }
    removeZombies()
    try poisoning { () throws(IOError) in
      try writeHead(sync: true) { cell in
        cell.reserved = nextSequence - 1
        cell.isClosed = true
      }
    }
    NyaruLogger.log(.debug, "closed \(directory.path)")
  }

  /// A tail up to this size is worth less than a checkpoint.
  private var tailSizeLimit: UInt64 {
    min(4 << 20, source.state.withLock { $0.image.liveSize } / 8)
  }

  /// Only the owner writes the head, from current values.
  func writeHead(sync: Bool, _ change: (inout HeadCell) -> Void = { _ in }) throws(IOError) {
    let (durable, generation) = (durableSequence, generation)
    let bootID = configuration.bootID
    let floor = source.state.withLock { $0.image.markerFloor }
    try head.write(sync: sync) { cell in
      cell.durable = durable
      if cell.generation != generation { cell.hasRetired = false }
      cell.generation = generation
      cell.bootID = bootID
      cell.markerFloor = floor
      cell.isClosed = false
      change(&cell)
    }
  }

  /// Makes sure that the next sequences are reserved, which also takes back the closed mark.
  ///
  /// A long batch moves the reservation further than recovery would skip if the newer cell were
  /// lost, so then both cells say so.
  func reserve(_ count: Int) throws(StorageError) {
    let last = nextSequence + UInt64(count) - 1
    guard last > head.cell.reserved || head.cell.isClosed else { return }
    let reserved = last + 1 + configuration.reservation
    let isLong = UInt64(count) > configuration.reservation
    try poisoning { () throws(IOError) in
      for _ in 0..<(isLong ? 2 : 1) {
        try writeHead(sync: true) { $0.reserved = reserved }
      }
    }
  }
}

/// A shard whose live slots lie in another file by now.
struct ReplacedShard {
  var shard: Shard

  /// The ids of snapshots that may need it.
  var pins: ClosedRange<UInt64>

  /// Bytes of its file.
  var size: UInt64
}
