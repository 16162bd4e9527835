internal import Synchronization

/// Putting right what opening cannot, with nothing thrown away.
extension DatabaseDirectory {
  /// Authors that a rebuilt manifest has room for: slots name theirs by a number, and nobody knows
  /// any more how many there were.
  private static let unknownAuthorCount = 256

  /// What is appended to the name of a file or directory that was set aside.
  static let asideSuffix = ".damaged"

  /// Writes a new `database` in the place of one that does not read, and keeps the old one.
  ///
  /// Lost are the identities, so that records get new dots before the next sync; which vault it
  /// was; and the floors of dropped collections, which a new author does not need.
  ///
  /// - Returns: `false` if the manifest reads, and nothing was done.
  /// - Throws: ``DatabaseDirectoryError/damaged(path:_:)`` if the database was encrypted.
  package static func rebuildManifest(
    in directory: any Directory
  ) throws(DatabaseDirectoryError) -> Bool {
    let names = try reportingIO { () throws(IOError) in try directory.names() }
    guard names.contains(collectionsName) else { throw .notFound(path: directory.path) }
    let lock = try take(directory)
    let hasManifest = names.contains(DatabaseManifest.fileName)
    if hasManifest, try reads(directory) { return false }
    let collections = try reportingIO { () throws(IOError) in
      try directory.openDirectory(collectionsName)
    }
    guard try !isEncrypted(collections) else {
      throw .damaged(
        path: manifestPath(directory),
        .invalid(
          "it held the wrapped data key, without which nothing here can be read; put back a copy"
            + " of this file that was made under any key or password"))
    }
    let authors = (0...unknownAuthorCount).map { _ in
      ReplicaID(number: RandomBytes.nextUInt64())
    }
    var manifest = DatabaseManifest(
      databaseID: RandomBytes.next(DatabaseManifest.databaseIDSize), lockIdentity: lock.identity,
      defaultFormat: .messagePack, defaultCompression: .none, replicaIDs: authors)
    manifest.needsReidentification = true
    try reportingIO { () throws(IOError) in
      if hasManifest {
        try directory.rename(
          DatabaseManifest.fileName, to: DatabaseManifest.fileName + asideSuffix)
      }
      try directory.replaceFile(DatabaseManifest.fileName, with: manifest.encoded(keys: nil))
    }
    return true
  }

  /// Whether the manifest reads, or is one of a later version, which is no damage.
  private static func reads(_ directory: any Directory) throws(DatabaseDirectoryError) -> Bool {
    let bytes = try reportingIO { () throws(IOError) in
      try directory.readManifest(DatabaseManifest.fileName)
    }
    do throws(FormatError) {
      _ = try DatabaseManifest(decoding: bytes)
      return true
    } catch .unsupported {
      return true
    } catch {
      return false
    }
  }

  /// Whether the collections were written under a key, as their manifests or names say.
  private static func isEncrypted(
    _ collections: any Directory
  ) throws(DatabaseDirectoryError) -> Bool {
    try reportingIO { () throws(IOError) in
      for name in try collections.names() where !name.contains(".") {
        let bytes: [UInt8]
        do throws(IOError) {
          bytes = try collections.openDirectory(name).readManifest(CollectionManifest.fileName)
        } catch  where error.isMissing {
          continue
        }
        let body = try? ManifestFrame.decode(
          bytes, magic: CollectionManifest.magic, format: CollectionManifest.format)
        if let body { return body.first == 1 }
        let digits = name.dropFirst()
        if name.hasPrefix("h"), digits.count == 32, digits.allSatisfy(\.isHexDigit) { return true }
      }
      return false
    }
  }
}

extension DatabaseDirectory {
  /// The directory of a collection whose manifest does not read.
  func collectionDirectory(
    _ fileName: String
  ) throws(DatabaseDirectoryError) -> any Directory {
    try Self.reportingIO { () throws(IOError) in try collections.openDirectory(fileName) }
  }

  /// The floor that is remembered for a collection of this file name.
  func sequenceFloor(_ fileName: String) -> UInt64 {
    state.withLock { $0.manifest.sequenceFloors[fileName] ?? 0 }
  }

  /// Writes a manifest that was found out from the documents; the damaged one stays beside it.
  func restoreManifest(
    _ manifest: CollectionManifest, of fileName: String
  ) throws(DatabaseDirectoryError) {
    let directory = try collectionDirectory(fileName)
    try manifest.check()
    try state.withLock { (state) throws(DatabaseDirectoryError) in
      try checkWritable(state)
      let bytes: [UInt8]
      do throws(CryptoError) {
        bytes = try manifest.encoded(fileName: fileName, key: state.keys?.manifests)
      } catch {
        throw .crypto(error)
      }
      try write(&state) { () throws(IOError) in
        do throws(IOError) {
          try directory.rename(
            CollectionManifest.fileName, to: CollectionManifest.fileName + Self.asideSuffix)
        } catch  where error.isMissing {}
        try directory.replaceFile(CollectionManifest.fileName, with: bytes)
      }
    }
  }

  /// Takes a collection that cannot be opened out of the way, with all that is in it.
  ///
  /// A collection of its name may begin at the first sequence again, so under a new author.
  ///
  /// - Returns: The name of its directory from now on, which nobody removes.
  func setAside(_ fileName: String) throws(DatabaseDirectoryError) -> String {
    _ = try addReplicaID()
    return try state.withLock { (state) throws(DatabaseDirectoryError) in
      try write(&state) { () throws(IOError) in
        let number = String(RandomBytes.nextUInt64(), radix: 16)
        let name = fileName + Self.asideSuffix + "." + number
        try collections.rename(fileName, to: name)
        try collections.sync()
        return name
      }
    }
  }
}

extension Directory {
  /// Removes the checkpoints of a collection, so that opening it reads all slots.
  func removeCheckpoints() throws(IOError) {
    for name in try names() where Checkpoint.generation(name) != nil { try unlink(name) }
    try sync()
  }

  /// What recoveries have set aside.
  func quarantined() throws(IOError) -> [String] {
    guard try names().contains(StoreOpening.quarantineName) else { return [] }
    return try openDirectory(StoreOpening.quarantineName).names().sorted()
  }

  /// The id of the collection in this directory, as the first shard says whose header reads.
  func collectionID() throws(IOError) -> [UInt8]? {
    guard try names().contains(StoreOpening.shardsName) else { return nil }
    let shards = try openDirectory(StoreOpening.shardsName)
    for name in try shards.names().sorted() where ShardName(name) != nil {
      let bytes = try shards.openFile(name).read(ShardHeader.size, at: 0)
      if let header = try? ShardHeader(bytes.span) { return header.collectionID }
    }
    return nil
  }
}

extension Names {
  /// The name whose escape this is; `nil` where the file name does not hold all of it.
  package func name(ofFile fileName: String) -> String? {
    guard self.fileName(for: "", in: .collection) == "%", !fileName.contains("~") else {
      return nil
    }
    if fileName == "%" { return "" }
    var bytes: [UInt8] = []
    var rest = Array(fileName.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"):
        guard let letter = rest.popFirst() else { return nil }
        bytes.append(letter & ~0x20)
      case UInt8(ascii: "%"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, let byte = UInt8(digits, radix: 16) else { return nil }
        bytes.append(byte)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    guard let name = String(validating: bytes, as: UTF8.self) else { return nil }
    return self.fileName(for: name, in: .collection) == fileName ? name : nil
  }
}
