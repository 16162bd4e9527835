/// A collection at one point in time, without a type; its reads are plain functions.
package struct DocumentSnapshot: Sendable {
  let store: StoreSnapshot
  let shape: DocumentShape
  let counters: QueryCounters

  /// A document that matches a query, and the version that it is.
  package struct Match: Sendable {
    package let idKey: [UInt8]
    package let sequence: UInt64
    package let document: DocumentBody
  }

  package var count: Int { store.liveCount }

  /// The last change in it.
  package var sequence: UInt64 { store.sequence }

  package func document(_ idKey: [UInt8]) throws(NyaruError) -> DocumentBody? {
    counters.noteGet()
    return try NyaruError.storage { () throws(StorageError) in
      try store.record(idKey).map { DocumentBody($0) }
    }
  }

  /// The documents whose ids follow a key, in the order of ids, at most `limit` of them.
  ///
  /// - Returns: The documents in parts, and the key to go on from, or `nil` at the end.
  func page<T: Decodable & Sendable>(
    after idKey: [UInt8]?, limit: Int, as type: T.Type
  ) throws(NyaruError) -> (page: [DecodedDocuments<T>], last: [UInt8]?) {
    let (handles, last) = try handles(after: idKey, limit: limit)
    counters.noteReturned(handles.count)
    return (try decode(handles, as: type), handles.count < limit ? nil : last)
  }

  /// The records whose ids follow a key, in the order of ids.
  func records(
    after idKey: [UInt8]?, limit: Int
  ) throws(NyaruError) -> [Result<StoredRecord, StorageError>] {
    let handles = try handles(after: idKey, limit: limit).handles
    return try NyaruError.storage { () throws(StorageError) in try store.records(handles) }
  }

  private func handles(
    after idKey: [UInt8]?, limit: Int
  ) throws(NyaruError) -> (handles: [UInt32], last: [UInt8]?) {
    let range = KeyRange(from: idKey.map { $0 + [0] } ?? [])
    return try NyaruError.storage { () throws(StorageError) in
      try store.handles(inIDs: range, limit: limit)
    }
  }
}
