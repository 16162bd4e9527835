internal import Synchronization

/// A collection's place in a database, as opened.
package struct CollectionDirectory: Sendable {
  /// The name of its directory in `collections/`.
  package let fileName: String
  package let directory: any Directory
  package let manifest: CollectionManifest

  /// Sequences up to this one may have been used by a dropped collection of the same name.
  package let sequenceFloor: UInt64
}

/// One entry of a listing.
package struct CollectionListing: Sendable {
  /// The name of its directory in `collections/`.
  package let fileName: String

  /// What the collection says of itself, or why it cannot be read.
  package let manifest: Result<CollectionManifest, DatabaseDirectoryError>
}

extension DatabaseDirectory {
  /// The collections, in the order of their names' bytes; unreadable ones come last.
  package func listCollections() throws(DatabaseDirectoryError) -> [CollectionListing] {
    try state.withLock { (state) throws(DatabaseDirectoryError) in
      let names = try Self.reportingIO { () throws(IOError) in try collections.names() }
      var listing: [CollectionListing] = []
      for fileName in names where !fileName.contains(".") {
        do throws(DatabaseDirectoryError) {
          guard let found = try find(fileName, state) else { continue }
          listing.append(CollectionListing(fileName: fileName, manifest: .success(found.manifest)))
        } catch {
          listing.append(CollectionListing(fileName: fileName, manifest: .failure(error)))
        }
      }
      return listing.sorted { left, right in
        switch (left.manifest, right.manifest) {
        case (.success(let left), .success(let right)):
          left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        case (.success, .failure): true
        case (.failure, .success): false
        case (.failure, .failure): left.fileName < right.fileName
        }
      }
    }
  }

  /// The collection of the name, or `nil` if there is none.
  package func openCollection(
    _ name: String
  ) throws(DatabaseDirectoryError) -> CollectionDirectory? {
    try state.withLock { (state) throws(DatabaseDirectoryError) in
      guard state.lock != nil else { throw .closed }
      return try find(names.fileName(for: name, in: .collection), state)
    }
  }

  /// Adds a collection, which is durable when the call returns, with nothing but its manifest.
  package func createCollection(
    _ manifest: CollectionManifest
  ) throws(DatabaseDirectoryError) -> CollectionDirectory {
    try manifest.check()
    return try state.withLock { (state) throws(DatabaseDirectoryError) in
      try checkWritable(state)
      let fileName = names.fileName(for: manifest.name, in: .collection)
      guard try find(fileName, state) == nil else { throw .collectionExists(manifest.name) }
      let bytes = try encoded(manifest, fileName, state)
      let directory = try write(&state) { () throws(IOError) in
        let temporary = fileName + ".new"
        let directory = try collections.createDirectory(temporary)
        try directory.replaceFile(CollectionManifest.fileName, with: bytes)
        try collections.rename(temporary, to: fileName)
        try collections.sync()
        return try collections.openDirectory(fileName)
      }
      return CollectionDirectory(
        fileName: fileName, directory: directory, manifest: manifest,
        sequenceFloor: state.manifest.sequenceFloors[fileName] ?? 0)
    }
  }

  /// Replaces a collection's manifest, for other indexed fields; durable when the call returns.
  ///
  /// - Precondition: Name and collectionID stay.
  package func replaceManifest(
    of collection: CollectionDirectory, with manifest: CollectionManifest
  ) throws(DatabaseDirectoryError) -> CollectionDirectory {
    precondition(
      manifest.collectionID == collection.manifest.collectionID
        && names.fileName(for: manifest.name, in: .collection) == collection.fileName,
      "a collection keeps its name and its id")
    try manifest.check()
    try state.withLock { (state) throws(DatabaseDirectoryError) in
      try checkWritable(state)
      let bytes = try encoded(manifest, collection.fileName, state)
      try write(&state) { () throws(IOError) in
        try collection.directory.replaceFile(CollectionManifest.fileName, with: bytes)
      }
    }
    return CollectionDirectory(
      fileName: collection.fileName, directory: collection.directory, manifest: manifest,
      sequenceFloor: collection.sequenceFloor)
  }

  /// Drops a collection, which nobody may use any more; durable when the call returns.
  ///
  /// The floor is the highest sequence that may have been used in it: a collection that is
  /// created under the name later begins above.
  package func dropCollection(
    _ name: String, sequenceFloor floor: UInt64
  ) throws(DatabaseDirectoryError) {
    try state.withLock { (state) throws(DatabaseDirectoryError) in
      try checkWritable(state)
      let fileName = names.fileName(for: name, in: .collection)
      let entries = try Self.reportingIO { () throws(IOError) in try collections.names() }
      guard entries.contains(fileName) else { throw .collectionNotFound(name) }
      try update(&state) { (manifest, _) throws(DatabaseDirectoryError) in
        let floors = manifest.sequenceFloors
        guard floors[fileName] != nil || floors.count < DatabaseManifest.floorLimit else {
          throw .limit("the number of dropped collections", DatabaseManifest.floorLimit)
        }
        manifest.sequenceFloors[fileName] = max(floors[fileName] ?? 0, floor)
      }
      try write(&state) { () throws(IOError) in
        // A name of its own, since an earlier drop's may not be removed yet.
        let number = String(RandomBytes.nextUInt64(), radix: 16)
        let leftover = fileName + ".dropped." + number
        try collections.rename(fileName, to: leftover)
        try collections.sync()
        try collections.removeTree(leftover)
      }
    }
  }

  /// Removes what a crash left of creations and drops.
  func removeLeftovers() throws(DatabaseDirectoryError) {
    try state.withLock { (state) throws(DatabaseDirectoryError) in
      try write(&state) { () throws(IOError) in
        do throws(IOError) {
          try directory.unlink(DatabaseManifest.fileName + ".new")
        } catch  where error.isMissing {}
        for name in try collections.names() where Self.isLeftover(name) {
          try collections.removeTree(name)
        }
      }
    }
  }

  /// Whether a creation or a drop makes such a name; others with a dot are not ours to remove.
  private static func isLeftover(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return switch parts.count {
    case 2: parts[1] == "new"
    case 3: parts[1] == "dropped" && UInt64(parts[2], radix: 16) != nil
    default: false
    }
  }

  private func find(
    _ fileName: String, _ state: borrowing State
  ) throws(DatabaseDirectoryError) -> CollectionDirectory? {
    let path = collections.path + "/" + fileName + "/" + CollectionManifest.fileName
    let directory: any Directory
    do throws(IOError) {
      directory = try collections.openDirectory(fileName)
    } catch {
      if error.isMissing { return nil }
      throw .io(error)
    }
    let bytes: [UInt8]
    do throws(IOError) {
      bytes = try directory.readManifest(CollectionManifest.fileName)
    } catch {
      // The directory came with its manifest, so it was lost.
      if error.isMissing { throw .damaged(path: path, .invalid("the file is missing")) }
      throw .io(error)
    }
    do throws(FormatError) {
      let manifest = try CollectionManifest(
        decoding: bytes, fileName: fileName, key: state.keys?.manifests)
      guard names.fileName(for: manifest.name, in: .collection) == fileName else {
        throw .invalid("the manifest of another collection")
      }
      return CollectionDirectory(
        fileName: fileName, directory: directory, manifest: manifest,
        sequenceFloor: state.manifest.sequenceFloors[fileName] ?? 0)
    } catch {
      throw .damaged(path: path, error)
    }
  }

  private func encoded(
    _ manifest: CollectionManifest, _ fileName: String, _ state: borrowing State
  ) throws(DatabaseDirectoryError) -> [UInt8] {
    do throws(CryptoError) {
      return try manifest.encoded(fileName: fileName, key: state.keys?.manifests)
    } catch {
      throw .crypto(error)
    }
  }
}
