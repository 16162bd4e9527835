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
  /// - Returns: The documents, and the key to go on from, or `nil` at the end.
  package func page(
    after idKey: [UInt8]?, limit: Int
  ) throws(NyaruError) -> (documents: [Result<DocumentBody, NyaruError>], last: [UInt8]?) {
    let records = try records(after: idKey, limit: limit)
    var last: [UInt8]?
    let documents = records.map { result in
      switch result {
      case .success(let record):
        last = record.idKey
        return Result<DocumentBody, NyaruError>.success(DocumentBody(record))
      case .failure(let error):
        if case .corruptedRecord(let idKey) = error { last = idKey }
        return .failure(NyaruError(error))
      }
    }
    counters.noteReturned(documents.count)
    return (documents, records.count < limit ? nil : last)
  }

  /// The records whose ids follow a key, in the order of ids.
  func records(
    after idKey: [UInt8]?, limit: Int
  ) throws(NyaruError) -> [Result<StoredRecord, StorageError>] {
    let range = KeyRange(from: idKey.map { $0 + [0] } ?? [])
    var handles: [UInt32] = []
    return try NyaruError.storage { () throws(StorageError) in
      try store.forEachID(in: range) { handle in
        handles.append(handle)
        return handles.count < limit
      }
      return try store.records(handles)
    }
  }
}
