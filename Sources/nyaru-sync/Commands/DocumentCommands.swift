import NyaruEngine

/// `export`, `get` and `delete`.
extension CommandRunner {
  private static let streamBatchSize = 512

  func export(_ location: CollectionLocation, to output: StreamName) async throws {
    let bar = ProgressBar("export", on: console)
    defer { bar.clear() }
    let count = try await withDatabase(location.database) { database in
      let collection = try await collection(location.name, of: database)
      let snapshot = collection.snapshot()
      let sink = try ByteSink(output)
      var count = 0
      do {
        for try await document in snapshot.stream(batchSize: Self.streamBatchSize) {
          try sink.write(line: document.json())
          count += 1
          bar.update(documents: count, fraction: Double(count) / Double(max(1, snapshot.count)))
        }
      } catch let error as NyaruError {
        // The stream delivers what reads before it says what does not.
        try sink.finish()
        let size = "\(count) of \(snapshot.count)"
        throw CommandFailure(error).adding("\(size) documents were exported")
      }
      try sink.finish()
      return count
    }
    bar.clear()
    console.note("\(Noun.text(count, "document")) exported")
  }

  func get(_ location: CollectionLocation, id: String) async throws {
    try await withDatabase(location.database) { database in
      let collection = try await collection(location.name, of: database)
      guard let (_, document) = try find(id, in: collection) else {
        throw CommandFailure(.differences, "there is no document \(id) in \(location.name)")
      }
      try console.data(document.json())
    }
  }

  func delete(_ location: CollectionLocation, ids: [String]) async throws -> ExitCode {
    let (deleted, missing) = try await withDatabase(location.database) { database in
      let collection = try await collection(location.name, of: database)
      var found: [DocumentValue] = []
      var missing: [String] = []
      for id in ids {
        if let (id, _) = try find(id, in: collection) {
          found.append(id)
        } else {
          missing.append(id)
        }
      }
      let deleted = try await collection.delete(ids: found)
      try await collection.sync()
      return (deleted, missing)
    }
    for id in missing { console.complain("there is no document \(id) in \(location.name)") }
    if console.isJSON {
      let fields: [(String, JSONOutput)] = [
        ("deleted", .integer(deleted)), ("missing", .array(missing.map(JSONOutput.string))),
      ]
      try console.data(JSONOutput.object(fields).line)
    } else {
      console.note("\(Noun.text(deleted, "document")) deleted")
    }
    return missing.isEmpty ? .clean : .differences
  }

  /// The document that a word of the command line means: the one with that string as its id, else
  /// the one with that whole number.
  func find(
    _ word: String, in collection: NyaruCollection<Document>
  ) throws -> (id: DocumentValue, document: Document)? {
    for id in IDText.candidates(for: word) {
      if let document = try collection.document(id: id) { return (id, document) }
    }
    return nil
  }
}
