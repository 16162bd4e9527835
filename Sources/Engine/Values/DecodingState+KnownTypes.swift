import FoundationEssentials

extension DecodingState {
  /// The value of a type at an offset, through its own `init(from:)` if need be.
  ///
  /// Types that have a form of their own in documents, or that are faster without their own
  /// `init(from:)`, are told apart by their metatypes, the most frequent ones first. Then making
  /// a `T` of the bytes of such a value is safe; a cast, or an optional `T`, costs more than all
  /// else here.
  func decode<T: Decodable>(
    _ type: T.Type, at offset: Int, nesting: DecodingNesting
  ) throws -> T {
    var end = offset
    let id = ObjectIdentifier(type)
    if id == ObjectIdentifier(String.self) {
      return unsafe unsafeBitCast(try string(at: &end), to: T.self)
    }
    if id == ObjectIdentifier(Date.self) {
      let date = Date(timeIntervalSinceReferenceDate: try double(at: &end))
      return unsafe unsafeBitCast(date, to: T.self)
    }
    if id == ObjectIdentifier([String].self) {
      let strings = try array(of: String.self, at: offset, nesting) { try string(at: &$0) }
      return unsafe unsafeBitCast(strings, to: T.self)
    }
    if id == ObjectIdentifier(Int.self) {
      return unsafe unsafeBitCast(try integer(Int.self, at: &end), to: T.self)
    }
    if id == ObjectIdentifier(Double.self) {
      return unsafe unsafeBitCast(try double(at: &end), to: T.self)
    }
    if id == ObjectIdentifier(Bool.self) {
      return unsafe unsafeBitCast(try bool(at: &end), to: T.self)
    }
    if id == ObjectIdentifier([Int].self) {
      let integers = try array(of: Int.self, at: offset, nesting) {
        try integer(Int.self, at: &$0)
      }
      return unsafe unsafeBitCast(integers, to: T.self)
    }
    if id == ObjectIdentifier([Double].self) {
      let doubles = try array(of: Double.self, at: offset, nesting) { try double(at: &$0) }
      return unsafe unsafeBitCast(doubles, to: T.self)
    }
    if isFoundationType(id) { return try decodeFoundationType(type, id: id, at: offset) }
    if isDocumentType(id) {
      return try decodeDocument(type, id: id, at: offset, nesting: nesting)
    }
    guard nesting.calls < DocumentLimits.coderNesting else {
      throw corrupted(
        "values nest more than \(DocumentLimits.coderNesting) times", at: offset)
    }
    var inner = nesting
    inner.calls += 1
    return try T(from: ValueDecoder(state: self, offset: offset, nesting: inner))
  }

  @inline(__always)
  private func array<Element>(
    of type: Element.Type, at offset: Int, _ nesting: DecodingNesting,
    _ element: (inout Int) throws -> Element
  ) throws -> [Element] {
    try checkDepth(nesting, at: offset)
    var (next, count) = try array(at: offset)
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try element(&next)) }
    return elements
  }

  private func isFoundationType(_ id: ObjectIdentifier) -> Bool {
    id == ObjectIdentifier(UUID.self) || id == ObjectIdentifier(Data.self)
      || id == ObjectIdentifier(URL.self) || id == ObjectIdentifier(Decimal.self)
  }

  private func isDocumentType(_ id: ObjectIdentifier) -> Bool {
    id == ObjectIdentifier(DocumentValue.self) || id == ObjectIdentifier(DocumentMap.self)
      || id == ObjectIdentifier(Document.self)
  }

  private func decodeFoundationType<T>(
    _ type: T.Type, id: ObjectIdentifier, at offset: Int
  ) throws -> T {
    var end = offset
    if id == ObjectIdentifier(UUID.self) {
      guard let uuid = UUID(uuidString: try string(at: &end)) else {
        throw corrupted("not a UUID", at: offset)
      }
      return unsafe unsafeBitCast(uuid, to: T.self)
    }
    if id == ObjectIdentifier(Data.self) {
      return unsafe unsafeBitCast(Data(try binary(at: &end)), to: T.self)
    }
    if id == ObjectIdentifier(URL.self) {
      guard let url = URL(string: try string(at: &end)) else {
        throw corrupted("not a URL", at: offset)
      }
      return unsafe unsafeBitCast(url, to: T.self)
    }
    guard let decimal = Decimal(try value(at: offset, depth: 0)) else {
      throw corrupted("not a decimal number", at: offset)
    }
    return unsafe unsafeBitCast(decimal, to: T.self)
  }

  private func decodeDocument<T>(
    _ type: T.Type, id: ObjectIdentifier, at offset: Int, nesting: DecodingNesting
  ) throws -> T {
    let isMap = id == ObjectIdentifier(DocumentMap.self)
    let isDocument = id == ObjectIdentifier(Document.self)
    let value = try value(at: offset, depth: DocumentLimits.depth - Int(nesting.containers))
    guard isMap || isDocument else { return unsafe unsafeBitCast(value, to: T.self) }
    guard case .map(let map) = value else {
      var reader = self.reader(at: offset)
      throw mismatch(type, try reader.readHeader(), at: offset)
    }
    return isMap
      ? unsafe unsafeBitCast(map, to: T.self)
      : unsafe unsafeBitCast(try Document(map), to: T.self)
  }

  private func value(at offset: Int, depth: Int) throws -> DocumentValue {
    var reader = self.reader(at: offset)
    do throws(FormatError) { return try reader.readValue(depth: depth) } catch {
      throw corrupted("\(error)", at: offset)
    }
  }

  /// Makes sure that one more container may open.
  func checkDepth(_ nesting: DecodingNesting, at offset: Int) throws {
    guard nesting.containers < DocumentLimits.depth else {
      throw corrupted("containers nest more than \(DocumentLimits.depth) levels", at: offset)
    }
  }
}

extension Decimal {
  /// The number that a decimal was written as, see `documentValue`.
  init?(_ value: DocumentValue) {
    switch value {
    case .integer(let integer): self.init(integer)
    case .unsigned(let integer): self.init(integer)
    case .double(let double) where double.isNaN: self = .nan
    case .double(let double) where double.isFinite: self.init(string: double.description)
    case .string(let text): self.init(string: text)
    default: return nil
    }
  }
}
