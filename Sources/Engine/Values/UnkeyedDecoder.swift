/// The container of an array.
struct UnkeyedDecoder: UnkeyedDecodingContainer {
  let state: DecodingState

  /// Where the array starts.
  let start: Int

  /// How deep what lies in the array is.
  let nesting: DecodingNesting
  private let elementCount: Int

  /// Where the next element starts.
  private var offset: Int
  private(set) var currentIndex = 0

  init(state: DecodingState, at start: Int, nesting: DecodingNesting) throws {
    try state.checkDepth(nesting, at: start)
    self.state = state
    self.start = start
    (offset, elementCount) = try state.array(at: start)
    self.nesting = DecodingNesting(
      containers: nesting.containers + 1, calls: nesting.calls)
  }

  var codingPath: [any CodingKey] { state.path(to: start) }
  var count: Int? { elementCount }
  var isAtEnd: Bool { currentIndex >= elementCount }

  mutating func decodeNil() throws -> Bool {
    try requireElement(Never?.self)
    guard state.isNull(at: offset) else { return false }
    offset += 1
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    try read(type) { state, offset in try state.bool(at: &offset) }
  }

  mutating func decode(_ type: String.Type) throws -> String {
    try read(type) { state, offset in try state.string(at: &offset) }
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    try read(type) { state, offset in try state.double(at: &offset) }
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    try read(type) { state, offset in try state.float(at: &offset) }
  }

  mutating func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let nesting = nesting
    return try read(type) { state, offset in
      let value = try state.decode(type, at: offset, nesting: nesting)
      offset = try state.end(of: offset)
      return value
    }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nested { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try nested { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try nested { $0 } }

  /// Makes something of the next element as a whole, and moves on if that worked.
  private mutating func nested<T>(_ body: (ValueDecoder) throws -> T) throws -> T {
    let nesting = nesting
    return try read(T.self) { state, offset in
      let result = try body(ValueDecoder(state: state, offset: offset, nesting: nesting))
      offset = try state.end(of: offset)
      return result
    }
  }

  private func requireElement(_ type: Any.Type) throws {
    guard isAtEnd else { return }
    throw DecodingError.valueNotFound(
      type,
      .init(
        codingPath: codingPath + [DocumentKey(intValue: currentIndex)],
        debugDescription: "There are only \(elementCount) elements."))
  }

  /// Reads the next element, and moves on if that worked.
  @inline(__always)
  private mutating func read<T>(
    _ type: T.Type, _ body: (DecodingState, inout Int) throws -> T
  ) throws -> T {
    try requireElement(type)
    var next = offset
    let value = try body(state, &next)
    offset = next
    currentIndex += 1
    return value
  }

  @inline(__always)
  private mutating func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    try read(type) { state, offset in try state.integer(type, at: &offset) }
  }
}
