/// The container of a scope that is a map.
struct KeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let state: EncodingState
  let serial: Int

  var codingPath: [any CodingKey] { state.path(of: serial) }

  func encodeNil(forKey key: Key) throws {
    try state.beginEntry(serial, key.stringValue)
    state.writer.writeNull()
  }

  func encode(_ value: Bool, forKey key: Key) throws {
    try state.beginEntry(serial, key.stringValue)
    state.writer.write(value)
  }

  func encode(_ value: String, forKey key: Key) throws {
    try state.beginEntry(serial, key.stringValue)
    state.writer.write(value)
  }

  func encode(_ value: Double, forKey key: Key) throws {
    try state.beginEntry(serial, key.stringValue)
    state.writer.write(value)
  }

  func encode(_ value: Float, forKey key: Key) throws { try encode(Double(value), forKey: key) }
  func encode(_ value: Int, forKey key: Key) throws { try encode(Int64(value), forKey: key) }
  func encode(_ value: Int8, forKey key: Key) throws { try encode(Int64(value), forKey: key) }
  func encode(_ value: Int16, forKey key: Key) throws { try encode(Int64(value), forKey: key) }
  func encode(_ value: Int32, forKey key: Key) throws { try encode(Int64(value), forKey: key) }

  func encode(_ value: Int64, forKey key: Key) throws {
    try state.beginEntry(serial, key.stringValue)
    state.writer.write(value)
  }

  func encode(_ value: UInt, forKey key: Key) throws { try encode(UInt64(value), forKey: key) }
  func encode(_ value: UInt8, forKey key: Key) throws { try encode(UInt64(value), forKey: key) }
  func encode(_ value: UInt16, forKey key: Key) throws { try encode(UInt64(value), forKey: key) }
  func encode(_ value: UInt32, forKey key: Key) throws { try encode(UInt64(value), forKey: key) }

  func encode(_ value: UInt64, forKey key: Key) throws {
    try state.beginEntry(serial, key.stringValue)
    state.writer.write(value)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try state.beginEntry(serial, key.stringValue)
    try state.entry(at: state.current.newest) { try state.write(value) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let state = nested(.keyed, key.stringValue)
    return KeyedEncodingContainer(
      KeyedEncoder<NestedKey>(state: state, serial: state.open(.keyed, in: 0)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let state = nested(.unkeyed, key.stringValue)
    return UnkeyedEncoder(state: state, serial: state.open(.unkeyed, in: 0))
  }

  func superEncoder() -> any Encoder {
    ScopeEncoder(state: nested(.nothing, DocumentKey.superclass.stringValue), serial: 0)
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    ScopeEncoder(state: nested(.nothing, key.stringValue), serial: 0)
  }

  /// A state for the value of a key: the one that the key has already, or a new one.
  private func nested(_ kind: EncodingScope.Kind, _ key: String) -> EncodingState {
    if serial == state.current.serial, kind != .nothing,
      let existing = state.splice(forKey: key, kind: kind)
    {
      return existing
    }
    do { try state.beginEntry(serial, key) } catch { return state.failed(error) }
    return state.splice(hasKey: true)
  }
}

extension EncodingState {
  /// A state that takes what is encoded and throws it away, after a failure that could not be
  /// thrown where it happened.
  func failed(_ error: any Error) -> EncodingState {
    fail("\(error)")
    return EncodingState(userInfo: userInfo, capacity: 64)
  }
}
