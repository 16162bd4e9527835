internal import Synchronization

/// One open collection, without a type: the single writer, and the door for readers.
///
/// The actor owns the store. It checks and acts in one turn: between the look at a record and the
/// write in its place no other call can run. Only flushes run beside it, on a thread of their
/// own. Readers use ``reader`` and wait for no writer.
package actor CollectionCore {
  package nonisolated let name: String
  package nonisolated let collectionID: [UInt8]
  package nonisolated let idField: String
  package nonisolated let reader: StoreReader
  package nonisolated let openReport: OpenReport
  nonisolated let counters = QueryCounters()
  nonisolated let database: DatabaseDirectory
  nonisolated let policy: Policy

  /// Milliseconds since 1970, as the application's clock has it.
  nonisolated let now: @Sendable () -> UInt64

  private nonisolated let shapeBox: Mutex<DocumentShape>
  var place: CollectionDirectory
  let store: Store
  var isClosed = false
  var isCompacting = false
  var flushes = Flushes()
  var unsyncedWrites = 0
  var lastSync: UInt64

  /// The sequence at which a new dictionary is tried.
  var nextDictionaryTrial: UInt64

  /// The database's options that hold for its collections.
  struct Policy: Sendable {
    var autoSync: DatabaseOptions.AutoSync
    var maxFragmentation: Double
    var format: BodyFormat
    var compression: CompressionMethod

    var dictionaryTrialStart: UInt64

    /// Tells one run of the kernel from the next.
    var bootID: UInt64

    init(_ options: DatabaseOptions, bootID: UInt64) {
      self.bootID = bootID
      autoSync = options.autoSync
      maxFragmentation = options.maxFragmentation
      format = options.format
      compression = options.compression
      dictionaryTrialStart = options.dictionaryTrialStart
    }
  }

  /// Opens the collection in its directory; recovers it if it was not closed.
  init(
    place: CollectionDirectory, database: DatabaseDirectory, policy: Policy,
    now: @escaping @Sendable () -> UInt64
  ) throws(NyaruError) {
    let manifest = place.manifest
    let shape = DocumentShape(manifest)
    do throws(StorageError) {
      store = try Store.open(
        directory: place.directory,
        configuration: Self.configuration(
          place, shape: shape, database: database, bootID: policy.bootID))
    } catch {
      throw NyaruError(error)
    }
    name = manifest.name
    collectionID = manifest.collectionID
    idField = manifest.idField
    reader = store.reader
    openReport = store.openReport
    self.place = place
    self.database = database
    self.policy = policy
    self.now = now
    shapeBox = Mutex(shape)
    lastSync = now()
    nextDictionaryTrial = Self.trial(
      after: store.nextSequence, first: policy.dictionaryTrialStart)
  }

  /// How documents are taken apart; changes only when indexes are replaced.
  package nonisolated var shape: DocumentShape { shapeBox.withLock { $0 } }

  func setShape(_ shape: DocumentShape) { shapeBox.withLock { $0 = shape } }

  /// The state as it is now, for as long as it is held.
  package nonisolated func snapshot() -> DocumentSnapshot {
    // What may read is done before the lock is taken.
    reader.settle()
    return shapeBox.withLock { shape in
      DocumentSnapshot(store: reader.snapshot(), shape: shape, counters: counters)
    }
  }

  /// Runs a read. If a part of the checkpoint does not read, the state is built from the slots,
  /// and the read runs once more.
  nonisolated func reading<Result: Sendable>(
    _ body: @Sendable () throws(NyaruError) -> Result
  ) async throws(NyaruError) -> Result {
    do throws(NyaruError) { return try body() } catch {
      guard case .damaged = error, try await rebuild() else { throw error }
      return try body()
    }
  }

  private func rebuild() throws(NyaruError) -> Bool {
    try checkOpen()
    do throws(StorageError) { return try store.rebuild() } catch { throw NyaruError(error) }
  }

  func checkOpen() throws(NyaruError) {
    if isClosed { throw .closed }
  }

  /// Makes what was written durable, and ends the use of the collection.
  package func close() throws(NyaruError) {
    if isClosed { return }
    isClosed = true
    do throws(StorageError) { try store.close() } catch { throw NyaruError(error) }
  }

  /// Ends the use of a collection that is to be dropped.
  ///
  /// - Returns: The highest sequence that was used.
  func retire() -> UInt64 {
    isClosed = true
    return store.nextSequence - 1
  }

  /// Deletion markers stay from now on, since other replicas must hear of them.
  package func keepDeletionMarkers() { store.keepsDeletionMarkers = true }

  /// Builds the indexes that are missing with one scan, and drops the others.
  func replaceIndexes(_ fields: [String]) throws(NyaruError) {
    try checkOpen()
    guard fields != place.manifest.indexedFields else { return }
    var manifest = place.manifest
    manifest.indexedFields = fields
    let shape = DocumentShape(manifest, number: self.shape.number + 1)
    let changed: CollectionDirectory
    do throws(DatabaseDirectoryError) {
      changed = try database.replaceManifest(of: place, with: manifest)
    } catch {
      throw NyaruError(error)
    }
    do throws(StorageError) {
      try store.replaceIndexes(
        fields.map(IndexDefinition.init(path:)), extractKeys: Self.keyExtractor(shape)
      ) { swap in
        // No snapshot has the indexes of one shape and the fields of the other.
        shapeBox.withLock { current in
          current = shape
          swap()
        }
        place = changed
      }
    } catch {
      throw NyaruError(error)
    }
  }

  private static func configuration(
    _ place: CollectionDirectory, shape: DocumentShape, database: DatabaseDirectory,
    bootID: UInt64
  ) -> StoreConfiguration {
    var configuration = StoreConfiguration(
      collectionID: place.manifest.collectionID,
      indexes: place.manifest.indexedFields.map(IndexDefinition.init(path:)),
      extractKeys: keyExtractor(shape), names: database.names, key: database.keys?.records,
      bootID: bootID)
    configuration.sequenceFloor = place.sequenceFloor
    configuration.dictionaries = place.manifest.dictionaries
    configuration.keepsDeletionMarkers = database.isReplicated
    configuration.willForget = { () throws(IOError) in try database.becomeNew() }
    return configuration
  }

  private static func keyExtractor(_ shape: DocumentShape) -> StoreConfiguration.KeyExtractor {
    if shape.indexedFields.isEmpty { return { _, _ in [] } }
    return { payload, layout in
      let end = layout.seenSize.map { layout.bodyOffset + $0 } ?? payload.count
      guard !layout.isDeletion, layout.bodyOffset <= end, end <= payload.count else {
        return Array(repeating: nil, count: shape.indexedFields.count)
      }
      let body = payload.extracting(layout.bodyOffset..<end)
      return shape.tolerantIndexKeys(of: body, format: layout.format)
    }
  }
}

extension DatabaseDirectory {
  /// Whether other replicas may know of what is written here.
  package var isReplicated: Bool { state.withLock { $0.manifest.vault != nil } }

  /// Takes a new author's identity after a loss: another replica may know writes under the old
  /// one that are not here any more, and would take new ones for them.
  func becomeNew() throws(IOError) {
    guard isReplicated else { return }
    do throws(DatabaseDirectoryError) {
      _ = try addReplicaID()
    } catch {
      if case .io(let cause) = error { throw cause }
      throw IOError("open", path: "\(path): \(error)", code: 0)
    }
  }
}
