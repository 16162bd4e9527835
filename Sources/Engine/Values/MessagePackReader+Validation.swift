extension MessagePackReader {
  /// Checks bytes to be one document: a map, complete, with nothing behind it, no string that is
  /// not UTF-8, no key that occurs twice in one map, and no more levels than the limit.
  package static func validateDocument(_ bytes: Span<UInt8>) throws(FormatError) {
    var reader = MessagePackReader(bytes)
    guard case .map(let count) = try reader.readHeader() else {
      throw .invalid("a document that is not a map")
    }
    try reader.validateMap(count, of: bytes, depth: DocumentLimits.depth - 1)
    guard reader.remaining == 0 else { throw .invalid("bytes behind a document") }
  }

  private mutating func validateValue(
    of bytes: Span<UInt8>, depth: Int
  ) throws(FormatError) {
    switch try readHeader() {
    case .string(let size): _ = try readText(size)
    case .binary(let size): try skipBytes(size)
    case .array(let count):
      guard depth > 0 else { throw .tooDeep }
      for _ in 0..<count { try validateValue(of: bytes, depth: depth - 1) }
    case .map(let count):
      guard depth > 0 else { throw .tooDeep }
      try validateMap(count, of: bytes, depth: depth - 1)
    default: break
    }
  }

  private mutating func validateMap(
    _ count: Int, of bytes: Span<UInt8>, depth: Int
  ) throws(FormatError) {
    var keys = KeySet()
    for _ in 0..<count {
      let size = try readKeyHeader()
      _ = try readText(size)
      guard keys.insert(offset - size..<offset, of: bytes) else {
        throw .invalid("a key that occurs twice in one map")
      }
      try validateValue(of: bytes, depth: depth)
    }
  }
}
