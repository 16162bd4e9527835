/// What `init(from:)` is handed: the place of one value in the bytes.
struct ValueDecoder: Decoder {
  let state: DecodingState
  let offset: Int
  let nesting: DecodingNesting

  var codingPath: [any CodingKey] { state.path(to: offset) }
  var userInfo: [CodingUserInfoKey: Any] { state.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(
      KeyedDecoder<Key>(cursor: try MapCursor(state: state, at: offset, nesting: nesting)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try UnkeyedDecoder(state: state, at: offset, nesting: nesting)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleValueDecoder(state: state, offset: offset, nesting: nesting)
  }
}

/// The container of a value that is asked for as one.
struct SingleValueDecoder: SingleValueDecodingContainer {
  let state: DecodingState
  let offset: Int
  let nesting: DecodingNesting

  var codingPath: [any CodingKey] { state.path(to: offset) }

  func decodeNil() -> Bool { state.isNull(at: offset) }

  func decode(_ type: Bool.Type) throws -> Bool {
    var end = offset
    return try state.bool(at: &end)
  }

  func decode(_ type: String.Type) throws -> String {
    var end = offset
    return try state.string(at: &end)
  }

  func decode(_ type: Double.Type) throws -> Double {
    var end = offset
    return try state.double(at: &end)
  }

  func decode(_ type: Float.Type) throws -> Float {
    var end = offset
    return try state.float(at: &end)
  }

  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try state.decode(type, at: offset, nesting: nesting)
  }

  @inline(__always)
  private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    var end = offset
    return try state.integer(type, at: &end)
  }
}
