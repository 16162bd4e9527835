/// Putting right what is damaged.
extension NyaruDB {
  /// Reads everything, sets aside what does not read, and rebuilds the rest from it.
  ///
  /// A collection in which something is damaged is read anew, slot by slot: its checkpoint, its
  /// head and its indexes are rebuilt from what reads, and bytes that do not are kept in
  /// `quarantine`. A record that does not read is gone, or back at an older version, and never
  /// taken for a deletion. A collection manifest is rebuilt from the documents; where that cannot
  /// be, the collection is set aside whole.
  ///
  /// Handles to repaired collections end; open them again.
  public func repair() async throws(NyaruError) -> RepairReport {
    var report = RepairReport()
    let listing = try NyaruError.directory { () throws(DatabaseDirectoryError) in
      try directory.listCollections()
    }
    for entry in listing {
      var found = RepairReport.Collection(name: entry.fileName)
      do throws(NyaruError) {
        switch entry.manifest {
        case .success(let manifest): found.name = manifest.name
        case .failure(.damaged): try rebuildManifest(of: entry.fileName, &found)
        case .failure(let error): throw NyaruError(error)
        }
        try await repair(&found)
      } catch {
        found.failure = error.description
      }
      report.collections.append(found)
    }
    return report
  }

  private func repair(_ found: inout RepairReport.Collection) async throws(NyaruError) {
    guard var core = try await openCore(found.name) else { return }
    note(core.openReport, &found)
    var report = try await core.check()
    guard !report.isSound else { return }
    let damagedIDs = report.damaged.compactMap(\.idKey)
    let place = await core.place
    try await closeCore(found.name)
    try NyaruError.storage { () throws(StorageError) in
      do throws(IOError) { try place.directory.removeCheckpoints() } catch { throw .io(error) }
    }
    guard let again = try await openCore(found.name) else { return }
    core = again
    found.actions.append("all slots were read; checkpoint, head and indexes are rebuilt")
    note(core.openReport, &found)
    for idKey in damagedIDs {
      guard let id = try? OrderedKey.decode(idKey) else { continue }
      let entry = try NyaruError.storage { () throws(StorageError) in
        try core.reader.entry(idKey)
      }
      let isThere = entry.map { !$0.isDeletion } ?? false
      found.lost.append(id)
      found.hasLosses = true
      found.actions.append(
        isThere ? "document \(id) is back at an older version" : "document \(id) is lost")
    }
    report = try await core.check()
    if let place = report.damaged.first {
      found.failure = "\(place.file), byte \(place.offset): \(place.what)"
    }
  }

  private func note(_ report: OpenReport, _ found: inout RepairReport.Collection) {
    for place in report.damaged {
      found.actions.append("\(place.file), byte \(place.offset): \(place.what); recovered")
    }
    for name in report.quarantined {
      found.actions.append("what did not read is kept in quarantine/\(name)")
    }
    if report.lostState { found.hasLosses = true }
  }
}

/// Rebuilding a collection's manifest.
extension NyaruDB {
  private func rebuildManifest(
    of fileName: String, _ found: inout RepairReport.Collection
  ) throws(NyaruError) {
    switch try guess(fileName) {
    case .success(let manifest):
      try NyaruError.directory { () throws(DatabaseDirectoryError) in
        try directory.restoreManifest(manifest, of: fileName)
      }
      found.name = manifest.name
      let partition = manifest.partitionKey.map { ", partition key \($0)" } ?? ""
      found.actions.append(
        "the manifest is rebuilt from the documents: id field \(manifest.idField)\(partition);"
          + " indexed fields are lost, name them again; the old file is manifest.damaged")
    case .failure(let failure):
      let name = try NyaruError.directory { () throws(DatabaseDirectoryError) in
        try directory.setAside(fileName)
      }
      found.hasLosses = true
      found.actions.append(
        "the manifest cannot be rebuilt: \(failure.reason); the collection is set aside as"
          + " collections/\(name), to be removed, or to be called \(fileName) again once its"
          + " manifest is put back")
    }
  }

  private func guess(
    _ fileName: String
  ) throws(NyaruError) -> Result<CollectionManifest, ManifestGuess.Failure> {
    guard let name = directory.names.name(ofFile: fileName) else {
      return .failure(ManifestGuess.Failure(reason: "its name was in the manifest alone"))
    }
    let place = try NyaruError.directory { () throws(DatabaseDirectoryError) in
      try directory.collectionDirectory(fileName)
    }
    let database = directory
    return try NyaruError.storage { () throws(StorageError) in
      let collectionID: [UInt8]?
      do throws(IOError) { collectionID = try place.collectionID() } catch { throw .io(error) }
      guard let collectionID else {
        return .failure(ManifestGuess.Failure(reason: "no shard has a header that reads"))
      }
      var configuration = StoreConfiguration(
        collectionID: collectionID, names: database.names, key: database.keys?.records,
        bootID: policy.bootID)
      configuration.sequenceFloor = database.sequenceFloor(fileName)
      configuration.willForget = { () throws(IOError) in try database.becomeNew() }
      let store = try Store.open(directory: place, configuration: configuration)
      var guess = ManifestGuess(names: database.names, collectionID: collectionID)
      try guess.read(store.reader.snapshot())
      try store.close()
      do throws(ManifestGuess.Failure) {
        return .success(try guess.manifest(name: name, created: SystemClock.now()))
      } catch {
        return .failure(error)
      }
    }
  }
}
