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

  let documents: [T]
  let failures: [Failure]

  /// Documents and failures as they were found, with their places in the list that was asked for.
  init(_ found: consuming [T], places: [Int], failures: [Failure]) {
    if zip(places, places.dropFirst()).contains(where: >) {
      let order = places.indices.sorted { places[$0] < places[$1] }
      documents = order.map { [found] in found[$0] }
    } else {
      documents = found
    }
    self.failures = failures.sorted { $0.place < $1.place }.map { failure in
      var failure = failure
      failure.place = places.count { [place = failure.place] in $0 < place }
      return failure
    }
  }
}

/// Reading and decoding many documents, on all cores.
extension DocumentSnapshot {
  /// Documents that are read before they are put in order.
  private static let windowCount = 8192

  /// The documents behind handles, in the same order, in parts.
  func decode<T: Decodable & Sendable>(
    _ handles: [UInt32], as type: T.Type
  ) throws(NyaruError) -> [DecodedDocuments<T>] {
    try Spread.parts(of: handles.indices) { (part) throws(NyaruError) in
      try decodePart(Array(handles[part]), as: type)
    }
  }

  private func decodePart<T: Decodable & Sendable>(
    _ handles: [UInt32], as type: T.Type
  ) throws(NyaruError) -> DecodedDocuments<T> {
    var documents: [T] = []
    documents.reserveCapacity(handles.count)
    var places: [Int] = []
    places.reserveCapacity(handles.count)
    var failures: [DecodedDocuments<T>.Failure] = []
    do throws(StorageError) {
      try store.scanInPlace(handles) { place, result in
        do throws(NyaruError) {
          let record: StoredRecord
          do throws(StorageError) { record = try result.get() } catch {
            failures.append(.init(place: place, error: NyaruError(error), isUndecodable: false))
            return
          }
          documents.append(try DocumentBody(record).decoded(as: type))
          places.append(place)
        } catch {
          failures.append(.init(place: place, error: error, isUndecodable: true))
        }
      }
    } catch {
      throw NyaruError(error)
    }
    return DecodedDocuments(documents, places: places, failures: failures)
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
      for part in try decode(Array(window), as: type) {
        if let failure = part.failures.first { throw failure.error }
        documents.append(contentsOf: part.documents)
      }
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
