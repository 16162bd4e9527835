/// Documents that were read together, in the order in which they were asked for.
struct DecodedDocuments<T: Sendable>: Sendable {
  /// A record that is not among the documents.
  struct Failure: Sendable {
    /// How many documents stand before it.
    var place: Int
    var error: NyaruError

    /// Whether the record reads, but is no document of the type.
    var isUndecodable: Bool
  }

  private(set) var documents: [T] = []
  private(set) var failures: [Failure] = []

  init() {}

  init(capacity: Int) { documents.reserveCapacity(capacity) }

  mutating func append(_ document: T) { documents.append(document) }

  mutating func append(_ error: NyaruError, isUndecodable: Bool) {
    failures.append(
      Failure(place: documents.count, error: error, isUndecodable: isUndecodable))
  }

  mutating func append(_ other: DecodedDocuments) {
    for var failure in other.failures {
      failure.place += documents.count
      failures.append(failure)
    }
    documents += other.documents
  }
}

/// Reading and decoding many documents, on all cores.
extension DocumentSnapshot {
  /// Documents that are read before they are put in order.
  private static let windowCount = 8192

  /// The documents behind handles, in the same order.
  func decode<T: Decodable & Sendable>(
    _ handles: [UInt32], as type: T.Type
  ) throws(NyaruError) -> DecodedDocuments<T> {
    let parts = try Spread.parts(of: handles.indices) { (part) throws(NyaruError) in
      let records = try NyaruError.storage { () throws(StorageError) in
        try store.records(Array(handles[part]))
      }
      return Self.decode(records, as: type)
    }
    var all = parts[0]
    for part in parts.dropFirst() { all.append(part) }
    return all
  }

  private static func decode<T: Decodable & Sendable>(
    _ records: [Result<StoredRecord, StorageError>], as type: T.Type
  ) -> DecodedDocuments<T> {
    var decoded = DecodedDocuments<T>(capacity: records.count)
    for result in records {
      switch result {
      case .success(let record):
        do throws(NyaruError) {
          decoded.append(try DocumentBody(record).decoded(as: type))
        } catch {
          decoded.append(error, isUndecodable: true)
        }
      case .failure(let error): decoded.append(NyaruError(error), isUndecodable: false)
      }
    }
    return decoded
  }

  /// All documents, in the order of their ids; read in the order in which they lie.
  func all<T: Decodable & Sendable>(as type: T.Type) throws(NyaruError) -> [T] {
    let handles = try NyaruError.storage { () throws(StorageError) in try store.handles() }
    counters.note(.all, examined: handles.count)
    counters.noteReturned(handles.count)
    var documents: [T] = []
    documents.reserveCapacity(handles.count)
    for start in stride(from: 0, to: handles.count, by: Self.windowCount) {
      let window = handles[start..<min(start + Self.windowCount, handles.count)]
      let decoded = try decode(Array(window), as: type)
      if let failure = decoded.failures.first { throw failure.error }
      documents += decoded.documents
    }
    return try NyaruError.storage { () throws(StorageError) in
      try inOrderOfIDs(documents, of: handles)
    }
  }

  /// The documents of ascending handles, put in the order of their ids.
  private func inOrderOfIDs<T>(
    _ documents: [T], of handles: [UInt32]
  ) throws(StorageError) -> [T] {
    let order = try store.handles(inIDs: .all, limit: .max).handles
    if order == handles { return documents }
    var places = [Int32](repeating: 0, count: Int(handles.last ?? 0) + 1)
    for (place, handle) in handles.enumerated() { places[Int(handle)] = Int32(place) }
    return order.map { documents[Int(places[Int($0)])] }
  }
}
