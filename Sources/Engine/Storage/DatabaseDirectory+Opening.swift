extension DatabaseDirectory {
  /// What a new database is created with, and an existing one is opened with.
  package struct Options: Sendable {
    /// Opens an encrypted database; encrypts a new one.
    package var credential: DatabaseCredential?

    /// Whether a database is created where there is none.
    package var createIfMissing: Bool

    /// What collections of a new database are written as, unless they say otherwise.
    package var defaultFormat: BodyFormat
    package var defaultCompression: CompressionMethod

    package init(
      credential: DatabaseCredential? = nil, createIfMissing: Bool = true,
      defaultFormat: BodyFormat = .messagePack, defaultCompression: CompressionMethod = .none
    ) {
      self.credential = credential
      self.createIfMissing = createIfMissing
      self.defaultFormat = defaultFormat
      self.defaultCompression = defaultCompression
    }
  }

  /// Opens or creates the database in a directory, and locks it.
  ///
  /// The key is checked before anything else is read or written. A half-created database is
  /// created anew, and a half-dropped collection is dropped. A directory that is a copy gets a
  /// new databaseID and a new replicaID, durable before the call returns.
  package static func open(
    _ directory: any Directory, options: Options = Options()
  ) throws(DatabaseDirectoryError) -> DatabaseDirectory {
    // Before the lock, so that no file is left in a directory that is not ours; and after it,
    // since another process may have created the database meanwhile.
    _ = try hasManifest(directory, options: options)
    let lock = try take(directory)
    if try hasManifest(directory, options: options) {
      return try openExisting(directory, lock: lock, options: options)
    }
    return try create(in: directory, lock: lock, options: options)
  }

  /// Whether there is a database; throws where there is none and none may be created.
  private static func hasManifest(
    _ directory: any Directory, options: Options
  ) throws(DatabaseDirectoryError) -> Bool {
    let names = try reportingIO { () throws(IOError) in try directory.names() }
    if names.contains(DatabaseManifest.fileName) { return true }
    guard options.createIfMissing else { throw .notFound(path: directory.path) }
    let halfCreated = [
      lockName, DatabaseManifest.fileName + ".new", collectionsName, syncName,
    ]
    if let foreign = names.filter({ !halfCreated.contains($0) }).min() {
      throw .foreign(path: directory.path, fileName: foreign)
    }
    return false
  }

  static func take(
    _ directory: any Directory
  ) throws(DatabaseDirectoryError) -> any DirectoryLock {
    do throws(LockFailure) {
      return try directory.lock(lockName)
    } catch {
      switch error {
      case .held(let processID): throw .locked(path: directory.path, processID: processID)
      case .io(let error): throw .io(error)
      }
    }
  }

  private static func create(
    in directory: any Directory, lock: any DirectoryLock, options: Options
  ) throws(DatabaseDirectoryError) -> DatabaseDirectory {
    let folders = try openFolders(directory)
    for folder in [folders.collections, folders.sync] {
      let names = try reportingIO { () throws(IOError) in try folder.names() }
      // The manifest comes before all that lies here, so it was lost.
      guard names.isEmpty else {
        throw .damaged(
          path: manifestPath(directory), .invalid("the file is missing, but not the data"))
      }
    }
    let keys = try newKeys(options.credential, path: directory.path)
    let manifest = DatabaseManifest(
      databaseID: RandomBytes.next(DatabaseManifest.databaseIDSize), lockIdentity: lock.identity,
      defaultFormat: options.defaultFormat, defaultCompression: options.defaultCompression,
      replicaIDs: [ReplicaID(number: RandomBytes.nextUInt64())], protection: keys?.protection)
    try reportingIO { () throws(IOError) in
      // Whoever finds the manifest finds the rest.
      try directory.sync()
      try directory.replaceFile(DatabaseManifest.fileName, with: manifest.encoded(keys: keys))
    }
    return DatabaseDirectory(
      directory: directory, collections: folders.collections, syncDirectory: folders.sync,
      isCopy: false, state: State(manifest: manifest, keys: keys, lock: lock))
  }

  private static func openExisting(
    _ directory: any Directory, lock: any DirectoryLock, options: Options
  ) throws(DatabaseDirectoryError) -> DatabaseDirectory {
    let (manifest, keys) = try readManifest(directory, credential: options.credential)
    let folders = try openFolders(directory)
    // An earlier process may have ended between changing a name and syncing it, so what is seen
    // here may lie in a cache only.
    try reportingIO { () throws(IOError) in
      try directory.sync()
      try folders.collections.sync()
    }
    let isCopy = manifest.lockIdentity != lock.identity
    let database = DatabaseDirectory(
      directory: directory, collections: folders.collections, syncDirectory: folders.sync,
      isCopy: isCopy, state: State(manifest: manifest, keys: keys, lock: lock))
    if isCopy { try database.takeNewIdentities(lock.identity) }
    try database.removeLeftovers()
    return database
  }

  private static func readManifest(
    _ directory: any Directory, credential: DatabaseCredential?
  ) throws(DatabaseDirectoryError) -> (DatabaseManifest, KeyRing?) {
    let path = manifestPath(directory)
    let bytes = try reportingIO { () throws(IOError) in
      try directory.readManifest(DatabaseManifest.fileName)
    }
    let manifest: DatabaseManifest
    do throws(FormatError) {
      manifest = try DatabaseManifest(decoding: bytes)
    } catch {
      throw .damaged(path: path, error)
    }
    guard let protection = manifest.protection else {
      guard credential == nil else { throw .notEncrypted(path: directory.path) }
      return (manifest, nil)
    }
    guard let credential else {
      throw .keyRequired(path: directory.path, protection.method)
    }
    let keys: KeyRing
    do throws(KeyRing.Failure) {
      keys = try KeyRing(opening: protection, with: credential)
    } catch {
      throw .key(path: directory.path, error)
    }
    guard DatabaseManifest.isAuthentic(bytes, under: keys) else {
      throw .damaged(path: path, .checksumMismatch)
    }
    return (manifest, keys)
  }

  private static func newKeys(
    _ credential: DatabaseCredential?, path: String
  ) throws(DatabaseDirectoryError) -> KeyRing? {
    guard let credential else { return nil }
    do throws(KeyRing.Failure) {
      return try KeyRing(wrappingNewKeyWith: credential)
    } catch {
      throw .key(path: path, error)
    }
  }

  private static func openFolders(
    _ directory: any Directory
  ) throws(DatabaseDirectoryError) -> (collections: any Directory, sync: any Directory) {
    try reportingIO { () throws(IOError) in
      (
        try directory.openOrCreateDirectory(collectionsName),
        try directory.openOrCreateDirectory(syncName)
      )
    }
  }

  static func manifestPath(_ directory: any Directory) -> String {
    directory.path + "/" + DatabaseManifest.fileName
  }

  /// A copy is another database by another author, and its records are to be given new dots.
  private func takeNewIdentities(
    _ identity: FileIdentity
  ) throws(DatabaseDirectoryError) {
    try update { (manifest, _) throws(DatabaseDirectoryError) in
      manifest.databaseID = RandomBytes.next(DatabaseManifest.databaseIDSize)
      manifest.lockIdentity = identity
      manifest.needsReidentification = true
      try manifest.add(ReplicaID(number: RandomBytes.nextUInt64()))
    }
  }

  /// Runs calls to the disk that leave nothing behind when they fail.
  static func reportingIO<Result>(
    _ body: () throws(IOError) -> Result
  ) throws(DatabaseDirectoryError) -> Result {
    do throws(IOError) { return try body() } catch { throw .io(error) }
  }
}

extension Directory {
  /// The whole file, or what of it is above any size that a manifest has.
  func readManifest(_ name: String) throws(IOError) -> [UInt8] {
    let file = try openFile(name)
    return try file.read(Int(min(file.size(), UInt64(ManifestFrame.sizeLimit) + 1)), at: 0)
  }

  func openOrCreateDirectory(_ name: String) throws(IOError) -> any Directory {
    do throws(IOError) {
      return try openDirectory(name)
    } catch {
      guard error.isMissing else { throw error }
      return try createDirectory(name)
    }
  }

  /// Removes a directory with all that is in it, down to a depth that ours do not reach.
  func removeTree(_ name: String, depth: Int = 4) throws(IOError) {
    let tree = try openDirectory(name)
    for entry in try tree.names() {
      do throws(IOError) {
        try tree.unlink(entry)
      } catch {
        guard error.isDirectory, depth > 0 else { throw error }
        try tree.removeTree(entry, depth: depth - 1)
      }
    }
    try removeDirectory(name)
  }
}
