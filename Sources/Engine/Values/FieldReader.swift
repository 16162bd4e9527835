/// Finds fields in encoded documents without decoding what lies before them.
package enum FieldReader {
  /// The value at a path, or `nil` if the document has no such field.
  package static func value(
    at path: FieldPath, in body: [UInt8], format: BodyFormat
  ) throws(FormatError) -> DocumentValue? {
    let bytes = try format.messagePack(body)
    var reader = MessagePackReader(bytes.span)
    return try reader.seek(path) ? reader.readValue() : nil
  }
}

extension BodyFormat {
  /// The body as MessagePack, which it may be already.
  package func messagePack(_ body: [UInt8]) throws(FormatError) -> [UInt8] {
    self == .messagePack ? body : try messagePack(body.span)
  }

  /// A copy of the body as MessagePack.
  package func messagePack(_ body: Span<UInt8>) throws(FormatError) -> [UInt8] {
    switch self {
    case .messagePack: return unsafe body.withUnsafeBufferPointer { unsafe Array($0) }
    case .json:
      do { return try JSONText.messagePack(from: body) } catch {
        throw .invalid(error.description)
      }
    }
  }

  /// A body of this format, made of a MessagePack one.
  package func body(ofMessagePack bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    switch self {
    case .messagePack: bytes
    case .json: try JSONText.write(messagePack: bytes.span)
    }
  }
}

extension MessagePackReader {
  /// Moves from a document to the value at a path; where it is after `false` is of no use.
  package mutating func seek(_ path: FieldPath) throws(FormatError) -> Bool {
    let first = path.keys[0]
    guard try seek(first.span, inMapOf: readMapHeader()) else { return false }
    for key in path.keys.dropFirst() {
      switch try readHeader() {
      case .map(let count): guard try seek(key.span, inMapOf: count) else { return false }
      case .array(let count):
        guard let index = Self.index(key), index < count else { return false }
        for _ in 0..<index { try skipValue() }
      default: return false
      }
    }
    return true
  }

  /// Moves to the value of a key behind the header of a map, or behind the map if it has no such
  /// key.
  package mutating func seek(
    _ key: Span<UInt8>, inMapOf count: Int
  ) throws(FormatError) -> Bool {
    for _ in 0..<count {
      let size = try readKeyHeader()
      if size == key.count, readBytes(ifEqual: key) { return true }
      try skipBytes(size)
      try skipValue()
    }
    return false
  }

  /// The number that a key is, if it is one that an array can have as an index.
  package static func index(_ key: [UInt8]) -> Int? {
    guard !key.isEmpty, key.count < 10, key.count == 1 || key[0] != UInt8(ascii: "0") else {
      return nil
    }
    var index = 0
    for byte in key {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      index = index * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return index
  }
}
