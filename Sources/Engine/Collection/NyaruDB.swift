public import FoundationEssentials
internal import Glibc

/// An embedded document database in one directory.
///
/// A database belongs to one handle at a time, in one process. Collections are opened by name,
/// written by one writer each, and read by any number of readers without waiting. Nothing runs in
/// the background: flushing, compaction and sync happen in the calls that ask for them.
///
/// What is acknowledged survives `kill -9`; what was synced survives a power cut.
public actor NyaruDB {
  /// Where the database is.
  public nonisolated let path: String

  package nonisolated let directory: DatabaseDirectory
  let policy: CollectionCore.Policy

  /// Open collections by the bytes of their names, which String would compare normalized.
  private var cores: [[UInt8]: CollectionCore] = [:]
  private var isClosed = false

  /// Opens the database in the directory, which is created with missing parents if need be.
  ///
  /// - Throws: ``NyaruError/databaseLocked(path:processID:)``, ``NyaruError/wrongKey(reason:)``
  ///   before anything is read out, ``NyaruError/databaseNotFound(path:)`` without
  ///   ``DatabaseOptions/createIfMissing``, ``NyaruError/damaged(path:reason:)``,
  ///   ``NyaruError/storageFailed(operation:path:errno:)``.
  public init(path: String, options: DatabaseOptions = DatabaseOptions()) throws(NyaruError) {
    let place: DiskDirectory
    do throws(IOError) {
      place = try DiskDirectory.open(path: path, createIfMissing: options.createIfMissing)
    } catch {
      if error.code == ENOENT { throw .databaseNotFound(path: path) }
      throw .storageFailed(operation: error.operation, path: error.path, errno: error.code)
    }
    try self.init(directory: place, options: options)
  }

  /// Opens the database in the directory of a file URL.
  ///
  /// - Throws: As with a path.
  public init(path: URL, options: DatabaseOptions = DatabaseOptions()) throws(NyaruError) {
    try self.init(path: path.path, options: options)
  }

  /// Opens the database in a directory of any file system.
  package init(
    directory place: any Directory, options: DatabaseOptions = DatabaseOptions(),
    bootID: UInt64 = BootIdentity.current()
  ) throws(NyaruError) {
    let directoryOptions = DatabaseDirectory.Options(
      credential: Self.credential(options.key), createIfMissing: options.createIfMissing,
      defaultFormat: options.format, defaultCompression: options.compression)
    directory = try NyaruError.directory { () throws(DatabaseDirectoryError) in
      try DatabaseDirectory.open(place, options: directoryOptions)
    }
    path = place.path
    policy = CollectionCore.Policy(options, bootID: bootID)
  }

  /// Opens a collection, or creates it with the options.
  ///
  /// Opening it again returns a handle to the same collection. Without options, an existing
  /// collection is opened as it is, and a new one gets the default options. Other indexed fields
  /// than before are built with one scan, or dropped.
  ///
  /// - Throws: ``NyaruError/collectionTypeMismatch(_:)`` if id field or partition key differ from
  ///   those that it was created with.
  public func collection<T: Codable & Sendable>(
    _ name: String, of type: T.Type, options: CollectionOptions? = nil
  ) async throws(NyaruError) -> NyaruCollection<T> {
    NyaruCollection(core: try await core(name, options: options))
  }

  /// The names of all collections, in the order of their bytes.
  public func listCollections() throws(NyaruError) -> [String] {
    try checkOpen()
    return try NyaruError.directory { () throws(DatabaseDirectoryError) in
      try directory.listCollections().compactMap { try? $0.manifest.get().name }
    }
  }

  /// Removes a collection with all its documents, for good, from this directory alone.
  ///
  /// - Throws: ``NyaruError/collectionNotFound(_:)``.
  public func drop(_ name: String) async throws(NyaruError) {
    guard let core = try await openCore(name) else { throw .collectionNotFound(name) }
    let floor = await core.retire()
    cores[Array(name.utf8)] = nil
    try NyaruError.directory { () throws(DatabaseDirectoryError) in
      try directory.dropCollection(name, sequenceFloor: floor)
    }
  }

  /// Makes everything written to all open collections durable.
  public func sync() async throws(NyaruError) {
    try checkOpen()
    for core in cores.values { try await core.sync() }
  }

  /// Makes everything durable and lets another handle open the database.
  ///
  /// All collections are closed, even if one fails; the first error is thrown at the end.
  public func close() async throws(NyaruError) {
    if isClosed { return }
    isClosed = true
    var failure: NyaruError?
    for core in cores.values {
      do throws(NyaruError) { try await core.close() } catch { failure = failure ?? error }
    }
    cores = [:]
    directory.close()
    if let failure { throw failure }
  }

  private func checkOpen() throws(NyaruError) {
    if isClosed { throw .closed }
  }

  private static func credential(_ key: DatabaseKey?) -> DatabaseCredential? {
    switch key {
    case nil: nil
    case .key(let key): .key(key)
    case .password(let password): .password(password)
    }
  }
}

extension NyaruDB {
  /// The open collection of the name, or `nil` if there is none.
  package func openCore(_ name: String) async throws(NyaruError) -> CollectionCore? {
    try checkOpen()
    if let core = cores[Array(name.utf8)] { return core }
    let place = try NyaruError.directory { () throws(DatabaseDirectoryError) in
      try directory.openCollection(name)
    }
    return try place.map { (place) throws(NyaruError) in try open(place) }
  }

  /// The open collection of the name, created if need be.
  package func core(
    _ name: String, options wanted: CollectionOptions?
  ) async throws(NyaruError) -> CollectionCore {
    guard let core = try await openCore(name) else {
      return try create(name, options: wanted ?? CollectionOptions())
    }
    guard let wanted else { return core }
    let shape = core.shape
    guard shape.idField == FieldPath(wanted.idField),
      shape.partitionKey == wanted.partitionKey.map({ FieldPath($0) })
    else { throw .collectionTypeMismatch(name) }
    try await core.replaceIndexes(wanted.indexedFields)
    return core
  }

  /// Closes one collection, which the next call opens again.
  func closeCore(_ name: String) async throws(NyaruError) {
    try await cores.removeValue(forKey: Array(name.utf8))?.close()
  }

  /// Writes a new manifest for a database whose own does not read; `false` if it does.
  package static func rebuildManifest(path: String) throws(NyaruError) -> Bool {
    try NyaruError.directory { () throws(DatabaseDirectoryError) in
      let place: DiskDirectory
      do throws(IOError) {
        place = try DiskDirectory.open(path: path, createIfMissing: false)
      } catch {
        throw .io(error)
      }
      return try DatabaseDirectory.rebuildManifest(in: place)
    }
  }

  /// Deletion markers of all collections stay from now on.
  package func keepDeletionMarkers() async {
    for core in cores.values { await core.keepDeletionMarkers() }
  }

  private func create(
    _ name: String, options wanted: CollectionOptions
  ) throws(NyaruError) -> CollectionCore {
    let manifest = CollectionManifest(
      name: name, idField: wanted.idField, partitionKey: wanted.partitionKey,
      indexedFields: wanted.indexedFields, format: policy.format,
      compression: policy.compression, created: SystemClock.now())
    let place = try NyaruError.directory { () throws(DatabaseDirectoryError) in
      try directory.createCollection(manifest)
    }
    return try open(place)
  }

  private func open(_ place: CollectionDirectory) throws(NyaruError) -> CollectionCore {
    let core = try CollectionCore(
      place: place, database: directory, policy: policy, now: SystemClock.now)
    cores[Array(place.manifest.name.utf8)] = core
    return core
  }
}
