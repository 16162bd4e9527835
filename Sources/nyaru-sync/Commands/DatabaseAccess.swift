import NyaruEngine

/// Opening databases and collections, with errors that say what to do.
extension CommandRunner {
  /// Runs `body` with the database open, and closes it, which makes everything durable.
  func withDatabase<Result>(
    _ location: DatabaseLocation, _ body: (NyaruDB) async throws -> Result
  ) async throws -> Result {
    let database = try open(location)
    let result: Result
    do {
      result = try await body(database)
    } catch {
      // What was written before stays, as far as the disk allows; the first error is the one told.
      try? await database.close()
      throw error
    }
    try await database.close()
    return result
  }

  /// Opens a database that exists.
  func open(_ location: DatabaseLocation) throws -> NyaruDB {
    let key = try location.keyFile.map { path throws(CommandFailure) in
      try KeyFile.read(path, as: .key, on: console)
    }
    do throws(NyaruError) {
      return try open(location.directory, key: key)
    } catch .databaseNotFound(let path) {
      throw CommandFailure(
        .usage, "there is no database in \(path); `nyaru-sync init \(path)` makes one")
    } catch let failure {
      // A key that was meant for another database does no harm to one that has none.
      guard location.isKeyOptional, case .wrongKey = failure,
        let database = try? open(location.directory, key: nil)
      else { throw failure }
      return database
    }
  }

  private func open(_ path: String, key: SecretKey?) throws(NyaruError) -> NyaruDB {
    try NyaruDB(path: path, options: DatabaseOptions(encryptionKey: key, createIfMissing: false))
  }

  /// A collection that exists.
  func collection(
    _ name: String, of database: NyaruDB
  ) async throws -> NyaruCollection<Document> {
    let names = try await database.listCollections()
    guard names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
      throw CommandFailure(
        .usage,
        "there is no collection \(name) in \(database.path)"
          + Suggestion.text(for: name, among: names))
    }
    return tell(try await database.collection(name, of: Document.self))
  }

  /// Tells what opening the collection found, if it is not as it should be.
  private func tell(
    _ collection: NyaruCollection<Document>
  ) -> NyaruCollection<Document> {
    let report = collection.core.openReport
    for place in report.damaged {
      console.complain("\(collection.name): \(place.file), byte \(place.offset): \(place.what)")
    }
    for name in report.quarantined {
      console.complain("\(collection.name): what did not read is kept in quarantine/\(name)")
    }
    return collection
  }

  /// A collection to write to: as it is, or made with the wishes where it is missing.
  func collection(
    _ name: String, of database: NyaruDB, wishes: CollectionWishes
  ) async throws -> NyaruCollection<Document> {
    let names = try await database.listCollections()
    guard names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
      return try await database.collection(
        name, of: Document.self, options: wishes.options(from: CollectionOptions()))
    }
    let existing = tell(try await database.collection(name, of: Document.self))
    let options = existing.options
    if let contradiction = wishes.contradiction(with: options, of: name) {
      throw CommandFailure(.usage, contradiction)
    }
    guard let fields = wishes.indexedFields, Set(fields) != Set(options.indexedFields) else {
      return existing
    }
    return try await database.collection(
      name, of: Document.self, options: wishes.options(from: options))
  }
}

/// What the command line says about the shape of a collection.
struct CollectionWishes: Equatable {
  var idField: String?
  var partitionKey: String?
  var indexedFields: [String]?

  /// The options with the wishes in their place.
  func options(from options: CollectionOptions) -> CollectionOptions {
    CollectionOptions(
      idField: idField ?? options.idField, partitionKey: partitionKey ?? options.partitionKey,
      indexedFields: indexedFields ?? options.indexedFields)
  }

  /// Why a collection that exists cannot be as wished, or nil where it can.
  func contradiction(with options: CollectionOptions, of name: String) -> String? {
    if let idField, idField != options.idField {
      return "the documents of \(name) are identified by \(options.idField), not by \(idField)"
    }
    if let partitionKey, partitionKey != options.partitionKey {
      let how = options.partitionKey.map { "by \($0)" } ?? "not at all"
      return "\(name) is partitioned \(how); that cannot be changed"
    }
    return nil
  }
}
