import NyaruEngine
import NyaruSyncLog

/// `check`, which reads everything, and `check --repair`.
extension CommandRunner {
  func check(_ location: DatabaseLocation) async throws -> ExitCode {
    let bar = ProgressBar("check", on: console)
    defer { bar.clear() }
    var summary = CheckSummary()
    try await withDatabase(location) { database in
      let listing = try database.directory.listCollections()
      for (index, entry) in listing.enumerated() {
        bar.update(documents: 0, fraction: Double(index) / Double(listing.count))
        summary.collections.append(await check(entry, of: database))
      }
      summary.damagedPeers = try damagedPeers(of: database)
    }
    bar.clear()
    try console.result(summary.json, text: summary.text)
    return summary.exitCode
  }

  private func check(
    _ entry: CollectionListing, of database: NyaruDB
  ) async -> CheckSummary.Collection {
    var found = CheckSummary.Collection(name: entry.fileName)
    do {
      found.name = try entry.manifest.get().name
      guard let core = try await database.openCore(found.name) else { return found }
      let report = try await core.check()
      found.documents = report.records
      found.deletionMarkers = report.deletionMarkers
      found.bytes = report.bytes
      // What opening repaired counts, too: it was there, and is told only once.
      found.damage = (core.openReport.damaged + report.damaged).map { place in
        CheckSummary.Damage(
          file: place.file, offset: place.offset, reason: place.what,
          id: place.idKey.flatMap { try? OrderedKey.decode($0) }.map { "\($0)" })
      }
      found.quarantined = try await core.quarantined()
    } catch {
      found.failure = CommandFailure(error).message
    }
    return found
  }

  /// Files of peers that do not read. They cost a comparison, and no data.
  private func damagedPeers(of database: NyaruDB) throws -> [String] {
    let directory = database.directory.syncDirectory
    let peers = try SyncDirectory(directory).peers()
    return try directory.names().filter { name in
      guard name.hasPrefix("peer."), let number = UInt32(name.dropFirst(5)) else { return false }
      return peers[number] == nil
    }.sorted()
  }
}

extension CommandRunner {
  func repair(_ location: DatabaseLocation) async throws -> ExitCode {
    var summary = RepairSummary()
    do {
      try await repair(location, &summary)
    } catch NyaruError.damaged {
      summary.lostIdentities = try NyaruDB.rebuildManifest(path: location.directory)
      try await repair(location, &summary)
    }
    try console.result(summary.json, text: summary.text)
    return summary.exitCode
  }

  private func repair(
    _ location: DatabaseLocation, _ summary: inout RepairSummary
  ) async throws {
    let (report, peers) = try await withDatabase(location) { database in
      let peers = try damagedPeers(of: database)
      for name in peers { try database.directory.syncDirectory.unlink(name) }
      return (try await database.repair(), peers)
    }
    summary.report = report
    summary.removedPeers = peers
  }
}
