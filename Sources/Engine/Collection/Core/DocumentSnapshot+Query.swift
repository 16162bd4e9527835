/// Running queries: find candidates, try the filter, order, cut the page.
extension DocumentSnapshot {
  package func bodies(matching query: DocumentQuery) throws(NyaruError) -> [DocumentBody] {
    try matches(query).map(\.document)
  }

  /// The documents that match, decoded.
  func documents<T: Decodable & Sendable>(
    matching query: DocumentQuery, as type: T.Type
  ) throws(NyaruError) -> [T] {
    if query.isEverything { return try all(as: type) }
    return try Spread.map(try bodies(matching: query)) { (body) throws(NyaruError) in
      try body.decoded(as: type)
    }
  }

  package func count(matching query: DocumentQuery) throws(NyaruError) -> Int {
    let total: Int
    if query.filter == nil {
      counters.noteCovered()
      total = try NyaruError.storage { () throws(StorageError) in try store.count() }
    } else {
      var matched = 0
      try forEachCandidate(of: query) { _ in matched += 1 }
      total = matched
    }
    let rest = max(0, total - query.offset)
    return query.limit.map { min($0, rest) } ?? rest
  }

  package func distinctValues(
    of path: FieldPath, matching query: DocumentQuery
  ) throws(NyaruError) -> [DocumentValue] {
    var values = Set<[UInt8]>()
    for document in try bodies(matching: query) {
      do throws(FormatError) {
        let key = try OrderedKey.key(
          at: path, in: document.bytes, format: document.format, limit: .max)
        if let key { values.insert(key.bytes) }
      } catch {
        throw NyaruError(error)
      }
    }
    do throws(FormatError) {
      return try values.sorted { $0.lexicographicallyPrecedes($1) }
        .map { (key) throws(FormatError) in try OrderedKey.decode(key) }
    } catch {
      throw NyaruError(error)
    }
  }

  /// The page of matches, in the query's order; equal ones in the order of their ids.
  package func matches(_ query: DocumentQuery) throws(NyaruError) -> [Match] {
    let page = try findMatches(query)
    counters.noteReturned(page.count)
    return page
  }

  private func findMatches(_ query: DocumentQuery) throws(NyaruError) -> [Match] {
    if query.limit == 0 { return [] }
    if query.sortKeys.isEmpty, let limit = query.limit, try candidates(of: query) == .all {
      return try walk(query, limit: limit)
    }
    let comparator = SortComparator(query.sortKeys)
    var failure: NyaruError?
    var rows: [(key: [UInt8], match: Match)] = []
    var top = query.matchLimit.map { TopElements<Match>(capacity: $0) }
    try forEachCandidate(of: query) { match in
      do throws(FormatError) {
        let key = try comparator.key(
          of: match.document.bytes, format: match.document.format, idKey: match.idKey)
        if top != nil { top?.insert(match, key: key) } else { rows.append((key, match)) }
      } catch {
        failure = failure ?? NyaruError(error)
      }
    }
    if let failure { throw failure }
    if let top { return Array(top.sorted().dropFirst(query.offset)) }
    rows.sort { $0.key.lexicographicallyPrecedes($1.key) }
    return rows.dropFirst(query.offset).map(\.match)
  }

  /// How the query would run.
  package func plan(for query: DocumentQuery) throws(NyaruError) -> QueryPlan {
    let access: QueryPlan.Access =
      switch try candidates(of: query) {
      case .all: .fullScan
      case .ids(let ranges):
        ranges.allSatisfy(\.isSingleKey) ? .idLookup(count: ranges.count) : .idRange
      case .index(let number, _): .index(field: shape.indexedFields[number].description)
      case .partitions(let keys): .partitions(count: keys.count)
      }
    return QueryPlan(
      access: access, filters: query.filter != nil, sorts: !query.sortKeys.isEmpty)
  }

  /// In the order of ids, up to the limit, without reading what lies behind.
  private func walk(_ query: DocumentQuery, limit: Int) throws(NyaruError) -> [Match] {
    let filter = query.filter.map { CompiledFilter($0) }
    var examined = 0
    defer { counters.note(.all, examined: examined) }
    var matches: [Match] = []
    var skipped = 0
    var last: [UInt8]?
    let window = filter == nil ? min(query.matchLimit ?? limit, 1024) : 256
    while matches.count < limit {
      let records = try records(after: last, limit: window)
      for result in records {
        let match = try match(result)
        last = match.idKey
        examined += 1
        guard try match.document.matches(filter) else { continue }
        if skipped < query.offset { skipped += 1 } else { matches.append(match) }
        if matches.count == limit { break }
      }
      if records.count < window { break }
    }
    return matches
  }

  private func match(_ result: Result<StoredRecord, StorageError>) throws(NyaruError) -> Match {
    switch result {
    case .success(let record):
      return Match(
        idKey: record.idKey, sequence: record.sequence, document: DocumentBody(record))
    case .failure(let error): throw NyaruError(error)
    }
  }

}

extension DocumentSnapshot {
  /// Where the documents that may match are found.
  enum Candidates: Equatable {
    case all
    case ids([KeyRange])
    case index(Int, [KeyRange])
    case partitions([String])
  }

  /// The id confines best, then an index by its narrowest ranges, then the partition key; else
  /// all documents.
  func candidates(of query: DocumentQuery) throws(NyaruError) -> Candidates {
    guard let filter = query.filter.map({ CompiledFilter($0) }) else { return .all }
    if let ranges = filter.keyRanges(for: shape.idField) { return .ids(ranges) }
    var best: (number: Int, ranges: [KeyRange], count: Int)?
    for (number, field) in shape.indexedFields.enumerated() {
      guard let ranges = filter.keyRanges(for: field) else { continue }
      var count = 0
      for range in ranges {
        do { count += try store.count(inIndex: number, range) } catch { throw NyaruError(error) }
      }
      if count < best?.count ?? .max { best = (number, ranges, count) }
    }
    if let best { return .index(best.number, best.ranges) }
    return partitions(of: filter).map { .partitions($0) } ?? .all
  }

  /// The shards that hold whatever may match, if the filter names single values of the key.
  private func partitions(of filter: CompiledFilter) -> [String]? {
    guard let partitionKey = shape.partitionKey,
      let ranges = filter.keyRanges(for: partitionKey)
    else { return nil }
    var keys: [String] = []
    for range in ranges {
      guard range.isSingleKey, let key = DocumentShape.shardKey(ofEqualTo: range.lower) else {
        return nil
      }
      keys.append(key)
    }
    return keys
  }

  /// Calls the body for every document that matches, in no order.
  private func forEachCandidate(
    of query: DocumentQuery, _ body: (Match) -> Void
  ) throws(NyaruError) {
    let filter = query.filter.map { CompiledFilter($0) }
    var failure: NyaruError?
    let candidates = try candidates(of: query)
    var examined = 0
    defer { counters.note(candidates, examined: examined) }
    let take: (UInt32, borrowing RecordView) -> Bool = { _, view in
      examined += 1
      let document = DocumentBody(
        bytes: Array(copying: view.body), format: view.layout.format)
      do throws(NyaruError) {
        if try document.matches(filter) {
          body(
            Match(
              idKey: Array(copying: view.idKey), sequence: view.sequence, document: document))
        }
        return true
      } catch {
        failure = error
        return false
      }
    }
    let note: (UInt32, StorageError) -> Void = { failure = failure ?? NyaruError($1) }
    do throws(StorageError) {
      switch candidates {
      case .all: try store.scanAll(onDamage: note, take)
      case .ids(let ranges): try store.scan(try handles(inIDs: ranges), onDamage: note, take)
      case .partitions(let keys): try store.scanAll(shardKeys: keys, onDamage: note, take)
      case .index(let number, let ranges):
        try store.scan(try handles(inIndex: number, ranges), onDamage: note, take)
      }
    } catch {
      throw NyaruError(error)
    }
    if let failure { throw failure }
  }

  private func handles(inIDs ranges: [KeyRange]) throws(StorageError) -> [UInt32] {
    var handles: [UInt32] = []
    for range in ranges {
      try store.forEachID(in: range) { handle in
        handles.append(handle)
        return true
      }
    }
    return handles
  }

  private func handles(
    inIndex number: Int, _ ranges: [KeyRange]
  ) throws(StorageError) -> [UInt32] {
    var handles: [UInt32] = []
    for range in ranges {
      try store.forEach(inIndex: number, range) { handle in
        handles.append(handle)
        return true
      }
    }
    return handles
  }
}

extension KeyRange {
  /// Whether the range holds one key alone.
  var isSingleKey: Bool { upper == lower + [0] }
}
