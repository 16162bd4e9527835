import NyaruEngine

/// `find`.
extension CommandRunner {
  func find(_ location: CollectionLocation, _ request: FindRequest) async throws {
    let filter = try request.expression.map { text throws(FilterSyntaxError) in
      try Filter(parsing: text)
    }
    try await withDatabase(location.database) { database in
      let collection = try await collection(location.name, of: database)
      var query = collection.find().offset(request.offset)
      if let filter { query = query.where(filter) }
      if let limit = request.limit { query = query.limit(limit) }
      for sort in request.sort { query = query.sort(by: sort.field, ascending: sort.isAscending) }
      do {
        if request.countsOnly {
          try console.data(String(try await query.count()))
        } else {
          try show(try await query.execute())
        }
      } catch NyaruError.corruptedRecord {
        try await salvage(collection, filter, request)
      }
    }
  }

  private func show(_ documents: [Document]) throws(CommandFailure) {
    let sink = try ByteSink(.standard)
    for document in documents { try sink.write(line: document.json()) }
    try sink.finish()
  }

  /// Answers from the documents that do read, and then says what does not.
  private func salvage(
    _ collection: NyaruCollection<Document>, _ filter: Filter?, _ request: FindRequest
  ) async throws {
    let filter = filter.map { CompiledFilter($0) }
    let comparator = SortComparator(
      request.sort.map { SortKey(FieldPath($0.field), ascending: $0.isAscending) })
    var found: [(key: [UInt8], document: Document)] = []
    var failure: NyaruError?
    do {
      for try await document in collection.stream() {
        let isMatch = try filter?.matches(document.bytes, format: document.format) ?? true
        guard isMatch, let id = document[collection.core.shape.idField] else { continue }
        let key = try comparator.key(
          of: document.bytes, format: document.format, idKey: try OrderedKey.key(of: id))
        found.append((key, document))
      }
    } catch let error as NyaruError {
      failure = error
    }
    found.sort { $0.key.lexicographicallyPrecedes($1.key) }
    let page = found.dropFirst(request.offset).prefix(request.limit ?? .max).map(\.document)
    if request.countsOnly { try console.data(String(page.count)) } else { try show(page) }
    if let failure { throw failure }
  }
}
