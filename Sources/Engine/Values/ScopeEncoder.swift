/// What `encode(to:)` is handed: a place in the buffer for one value.
struct ScopeEncoder: Encoder {
  let state: EncodingState
  let serial: Int

  var codingPath: [any CodingKey] { state.path(of: serial) }
  var userInfo: [CodingUserInfoKey: Any] { state.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      KeyedEncoder<Key>(state: state, serial: state.open(.keyed, in: serial)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedEncoder(state: state, serial: state.open(.unkeyed, in: serial))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueEncoder(state: state, serial: serial)
  }
}

/// The container of a scope that is a single value.
struct SingleValueEncoder: SingleValueEncodingContainer {
  let state: EncodingState
  let serial: Int

  var codingPath: [any CodingKey] { state.path(of: serial) }

  func encodeNil() throws {
    try state.beginSingle(serial)
    state.writer.writeNull()
  }

  func encode(_ value: Bool) throws {
    try state.beginSingle(serial)
    state.writer.write(value)
  }

  func encode(_ value: String) throws {
    try state.beginSingle(serial)
    state.writer.write(value)
  }

  func encode(_ value: Double) throws {
    try state.beginSingle(serial)
    state.writer.write(value)
  }

  func encode(_ value: Float) throws { try encode(Double(value)) }
  func encode(_ value: Int) throws { try encode(Int64(value)) }
  func encode(_ value: Int8) throws { try encode(Int64(value)) }
  func encode(_ value: Int16) throws { try encode(Int64(value)) }
  func encode(_ value: Int32) throws { try encode(Int64(value)) }

  func encode(_ value: Int64) throws {
    try state.beginSingle(serial)
    state.writer.write(value)
  }

  func encode(_ value: UInt) throws { try encode(UInt64(value)) }
  func encode(_ value: UInt8) throws { try encode(UInt64(value)) }
  func encode(_ value: UInt16) throws { try encode(UInt64(value)) }
  func encode(_ value: UInt32) throws { try encode(UInt64(value)) }

  func encode(_ value: UInt64) throws {
    try state.beginSingle(serial)
    state.writer.write(value)
  }

  func encode<T: Encodable>(_ value: T) throws {
    try state.beginSingle(serial)
    do { try state.write(value) } catch {
      if state.current.serial == serial { state.current.kind = .nothing }
      throw error
    }
  }
}
