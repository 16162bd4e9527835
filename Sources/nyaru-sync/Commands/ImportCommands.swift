import NyaruEngine

/// `import` and `put`: documents from a stream into a collection.
extension CommandRunner {
  func importDocuments(_ location: CollectionLocation, _ request: ImportRequest) async throws {
    let wishes = CollectionWishes(
      idField: request.idField, partitionKey: request.partitionKey,
      indexedFields: request.indexedFields)
    try await load(
      location, from: request.input, wishes: wishes, replacesExisting: request.replacesExisting,
      label: "import")
  }

  func put(_ location: CollectionLocation, idField: String?) async throws {
    try await load(
      location, from: .standard, wishes: CollectionWishes(idField: idField),
      replacesExisting: true, label: "put")
  }

  private func load(
    _ location: CollectionLocation, from stream: StreamName, wishes: CollectionWishes,
    replacesExisting: Bool, label: String
  ) async throws {
    let source = try ByteSource(stream)
    if source.isTerminal { console.note("reading documents; end with Ctrl-D") }
    let bar = ProgressBar(label, on: console)
    defer { bar.clear() }
    let count = try await withDatabase(location.database) { database in
      let collection = try await collection(location.name, of: database, wishes: wishes)
      let reader = BatchReader(source)
      var count = 0
      do {
        while let batch = try reader.next() {
          try await write(batch, to: collection, replacesExisting: replacesExisting)
          count += batch.count
          bar.update(documents: count, fraction: reader.fraction)
        }
        // Durable before it is reported.
        try await collection.sync()
      } catch {
        let failure = CommandFailure(error)
        throw count == 0
          ? failure : failure.adding("what stood before stays: \(Noun.text(count, "document"))")
      }
      return count
    }
    bar.clear()
    if console.isJSON {
      let fields: [(String, JSONOutput)] = [
        ("written", .integer(count)), ("seconds", .seconds(bar.seconds)),
      ]
      try console.data(JSONOutput.object(fields).line)
    } else {
      console.note("\(Noun.text(count, "document")) written")
    }
  }

  private func write(
    _ batch: [SourceDocument], to collection: NyaruCollection<Document>, replacesExisting: Bool
  ) async throws {
    do throws(NyaruError) {
      if replacesExisting {
        let idField = collection.core.shape.idField
        try await collection.upsert(contentsOf: Self.last(of: batch.map(\.document), by: idField))
      } else {
        try await collection.insert(contentsOf: batch.map(\.document))
      }
    } catch {
      guard let place = BatchFailure.place(of: error, in: batch, shape: collection.core.shape)
      else { throw error }
      throw CommandFailure(.differences, "\(place): \(error)")
    }
  }
}

extension CommandRunner {
  /// The documents without those that a later one of the same id replaces.
  private static func last(of documents: [Document], by idField: FieldPath) -> [Document] {
    var places: [DocumentValue: Int] = [:]
    for (index, document) in documents.enumerated() {
      if let id = document[idField] { places[id] = index }
    }
    return documents.enumerated().filter { index, document in
      document[idField].map { places[$0] == index } ?? true
    }.map(\.element)
  }
}

/// Finds the line of the document that a batch was refused for.
enum BatchFailure {
  /// "line 7", or nil where the error is about no document of the batch.
  static func place(
    of error: NyaruError, in batch: [SourceDocument], shape: DocumentShape
  ) -> String? {
    let ids = batch.lazy.map { $0.document[shape.idField] }
    let index: Int? =
      switch error {
      case .duplicateID(let id): ids.firstIndex { $0 == id }
      case .repeatedID(let id): ids.lastIndex { $0 == id }
      case .missingID, .limitExceeded, .invalidDocument:
        batch.firstIndex { isRefused($0.document, by: shape) }
      default: nil
      }
    return index.map { "line \(batch[$0].source.line)" }
  }

  private static func isRefused(_ document: Document, by shape: DocumentShape) -> Bool {
    do throws(NyaruError) {
      _ = try shape.prepare(document.bytes, format: document.format)
      return false
    } catch {
      return true
    }
  }
}
