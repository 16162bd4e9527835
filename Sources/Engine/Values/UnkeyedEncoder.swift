/// The container of a scope that is an array.
struct UnkeyedEncoder: UnkeyedEncodingContainer {
  let state: EncodingState
  let serial: Int

  var codingPath: [any CodingKey] { state.path(of: serial) }

  var count: Int { state.current.serial == serial ? state.current.count : 0 }

  func encodeNil() throws {
    try state.beginElement(serial)
    state.writer.writeNull()
  }

  func encode(_ value: Bool) throws {
    try state.beginElement(serial)
    state.writer.write(value)
  }

  func encode(_ value: String) throws {
    try state.beginElement(serial)
    state.writer.write(value)
  }

  func encode(_ value: Double) throws {
    try state.beginElement(serial)
    state.writer.write(value)
  }

  func encode(_ value: Float) throws { try encode(Double(value)) }
  func encode(_ value: Int) throws { try encode(Int64(value)) }
  func encode(_ value: Int8) throws { try encode(Int64(value)) }
  func encode(_ value: Int16) throws { try encode(Int64(value)) }
  func encode(_ value: Int32) throws { try encode(Int64(value)) }

  func encode(_ value: Int64) throws {
    try state.beginElement(serial)
    state.writer.write(value)
  }

  func encode(_ value: UInt) throws { try encode(UInt64(value)) }
  func encode(_ value: UInt8) throws { try encode(UInt64(value)) }
  func encode(_ value: UInt16) throws { try encode(UInt64(value)) }
  func encode(_ value: UInt32) throws { try encode(UInt64(value)) }

  func encode(_ value: UInt64) throws {
    try state.beginElement(serial)
    state.writer.write(value)
  }

  func encode<T: Encodable>(_ value: T) throws {
    try state.beginElement(serial)
    try state.entry(at: state.current.newest) { try state.write(value) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    let state = nested()
    return KeyedEncodingContainer(
      KeyedEncoder<NestedKey>(state: state, serial: state.open(.keyed, in: 0)))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let state = nested()
    return UnkeyedEncoder(state: state, serial: state.open(.unkeyed, in: 0))
  }

  func superEncoder() -> any Encoder { ScopeEncoder(state: nested(), serial: 0) }

  /// A state for the next element.
  private func nested() -> EncodingState {
    do { try state.beginElement(serial) } catch { return state.failed(error) }
    return state.splice(hasKey: false)
  }
}
