/// The container of a map.
struct KeyedDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let cursor: MapCursor

  var codingPath: [any CodingKey] { cursor.state.path(to: cursor.start) }

  var allKeys: [Key] { cursor.keys().compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { (try? cursor.find(key.stringValue)) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    cursor.state.isNull(at: try cursor.require(key))
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try read(key) { state, offset in try state.bool(at: &offset) }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try read(key) { state, offset in try state.string(at: &offset) }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try read(key) { state, offset in try state.double(at: &offset) }
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try read(key) { state, offset in try state.float(at: &offset) }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(type, key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try cursor.state.decode(type, at: try cursor.require(key), nesting: cursor.nesting)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(at: try cursor.require(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(at: try cursor.require(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try superDecoder(DocumentKey.superclass) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try superDecoder(DocumentKey(stringValue: key.stringValue))
  }

  /// A decoder for the value of a key, which is null if the key is missing.
  private func superDecoder(_ key: DocumentKey) throws -> any Decoder {
    if let offset = try cursor.find(key.stringValue) { return decoder(at: offset) }
    return ValueDecoder(
      state: cursor.state.missing(key, at: cursor.start), offset: 0, nesting: cursor.nesting)
  }

  private func decoder(at offset: Int) -> ValueDecoder {
    ValueDecoder(state: cursor.state, offset: offset, nesting: cursor.nesting)
  }

  @inline(__always)
  private func read<T>(
    _ key: Key, _ body: (DecodingState, inout Int) throws -> T
  ) throws -> T {
    var offset = try cursor.require(key)
    let value = try body(cursor.state, &offset)
    cursor.moveOn(to: offset)
    return value
  }

  @inline(__always)
  private func integer<T: FixedWidthInteger>(_ type: T.Type, _ key: Key) throws -> T {
    try read(key) { state, offset in try state.integer(type, at: &offset) }
  }
}

extension KeyedDecoder {
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try readIfPresent(key) { state, offset in try state.bool(at: &offset) }
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try readIfPresent(key) { state, offset in try state.string(at: &offset) }
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try readIfPresent(key) { state, offset in try state.double(at: &offset) }
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try readIfPresent(key) { state, offset in try state.float(at: &offset) }
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try readIfPresent(key) { state, offset in try state.integer(type, at: &offset) }
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try readIfPresent(key) { state, offset in try state.integer(type, at: &offset) }
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let offset = try cursor.findPresent(key.stringValue) else { return nil }
    return try cursor.state.decode(type, at: offset, nesting: cursor.nesting)
  }

  @inline(__always)
  private func readIfPresent<T>(
    _ key: Key, _ body: (DecodingState, inout Int) throws -> T
  ) throws -> T? {
    guard var offset = try cursor.findPresent(key.stringValue) else { return nil }
    let value = try body(cursor.state, &offset)
    cursor.moveOn(to: offset)
    return value
  }
}
