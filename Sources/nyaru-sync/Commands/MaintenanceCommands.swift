import NyaruEngine

/// `compact` and `check`.
extension CommandRunner {
  func compact(_ location: DatabaseLocation) async throws {
    let bar = ProgressBar("compact", on: console)
    defer { bar.clear() }
    var before: UInt64 = 0
    var after: UInt64 = 0
    var documents = 0
    try await withDatabase(location) { database in
      let names = try await database.listCollections()
      for (index, name) in names.enumerated() {
        bar.update(documents: documents, fraction: Double(index) / Double(names.count))
        let collection = try await database.collection(name, of: Document.self)
        before += await collection.stats().size
        try await collection.compact()
        let statistics = await collection.stats()
        after += statistics.size
        documents += statistics.documents
      }
    }
    bar.clear()
    let saved = before - min(before, after)
    try console.result(
      .object([("before", .unsigned(before)), ("after", .unsigned(after))]),
      text: "\(ProgressLine.size(Int(clamping: after))) in use, "
        + "\(ProgressLine.size(Int(clamping: saved))) given back")
  }
}

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
        CheckSummary.Damage(file: place.file, offset: place.offset, reason: place.what)
      }
    } catch {
      found.failure = CommandFailure(error).message
    }
    return found
  }
}
