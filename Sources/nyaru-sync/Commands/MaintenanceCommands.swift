import NyaruEngine

/// `compact`.
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
