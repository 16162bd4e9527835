/// The version that an operation finds, read before the writer comes to it.
struct KnownVersion: Sendable {
  var record: StoredRecord

  /// The keys under which it stands in the indexes; `nil` if it is a deletion.
  var indexKeys: [[UInt8]?]?
}

/// Reading what many operations will ask for.
extension CollectionCore {
  /// How many versions are in memory at once, at most.
  static let knownVersionCount = 2048

  /// Bytes of their payloads, for each part that a core reads; the rest is read one by one.
  fileprivate static let knownVersionSize = 4 << 20

  /// The versions that the operations find, in their order, read on all cores.
  ///
  /// What does not read, or is not there, is left to the turn.
  func knownVersions(
    of intents: ArraySlice<WriteIntent>
  ) throws(NyaruError) -> [KnownVersion?] {
    guard intents.count >= Spread.partCountMinimum,
      intents.contains(where: { $0.kind != .insert })
    else { return Array(repeating: nil, count: intents.count) }
    let snapshot = reader.snapshot()
    let shape = shape
    let parts = try Spread.parts(of: intents.indices) { (part) throws(NyaruError) in
      try NyaruError.storage { () throws(StorageError) in
        try snapshot.knownVersions(of: intents[part], shape)
      }
    }
    return Array(parts.joined())
  }
}

extension StoreSnapshot {
  fileprivate func knownVersions(
    of intents: ArraySlice<WriteIntent>, _ shape: DocumentShape
  ) throws(StorageError) -> [KnownVersion?] {
    var known = [KnownVersion?](repeating: nil, count: intents.count)
    var handles: [UInt32] = []
    var places: [Int] = []
    for index in intents.indices where intents[index].kind != .insert {
      guard let handle = try handle(of: intents[index].idKey) else { continue }
      handles.append(handle)
      places.append(index - intents.startIndex)
    }
    var size = 0
    try scanInPlace(handles) { index, result in
      guard case .success(let record) = result, size <= CollectionCore.knownVersionSize else {
        return
      }
      size += record.payload.count
      known[places[index]] = KnownVersion(
        record: record.copy(), indexKeys: shape.indexKeys(ofVersion: record))
    }
    return known
  }
}

extension DocumentShape {
  /// The keys of a version that was stored; `nil` for a deletion.
  func indexKeys(ofVersion record: StoredRecord) -> [[UInt8]?]? {
    if record.isDeletion { return nil }
    if indexedFields.isEmpty { return [] }
    return tolerantIndexKeys(of: record.view.body, format: record.layout.format)
  }
}
