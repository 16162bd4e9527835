extension MessagePackReader {
  /// The next value with all that lies in it.
  ///
  /// - Throws: `tooDeep` if it holds containers of more than `depth` levels.
  package mutating func readValue(
    depth: Int = DocumentLimits.depth
  ) throws(FormatError) -> DocumentValue {
    switch try readHeader() {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .unsigned(let value): return .unsigned(value)
    case .double(let value): return .double(value)
    case .string(let size): return .string(try readString(size))
    case .binary(let size): return .binary(try readBytes(size))
    case .array(let count):
      guard depth > 0 else { throw .tooDeep }
      var values: [DocumentValue] = []
      for _ in 0..<count { values.append(try readValue(depth: depth - 1)) }
      return .array(values)
    case .map(let count):
      guard depth > 0 else { throw .tooDeep }
      var entries: [DocumentMap.Entry] = []
      for _ in 0..<count {
        let key = try readString(try readKeyHeader())
        entries.append((key, try readValue(depth: depth - 1)))
      }
      return .map(DocumentMap(uniqueEntries: entries))
    }
  }
}

extension MessagePackWriter {
  /// Appends a value with all that lies in it.
  ///
  /// - Throws: `tooDeep` if it holds containers of more than `depth` levels.
  package mutating func write(
    _ value: DocumentValue, depth: Int = DocumentLimits.depth
  ) throws(FormatError) {
    switch value {
    case .null: writeNull()
    case .bool(let value): write(value)
    case .integer(let value): write(value)
    case .unsigned(let value): write(value)
    case .double(let value): write(value)
    case .string(let value): write(value)
    case .binary(let value): write(binary: value)
    case .array(let values):
      guard depth > 0 else { throw .tooDeep }
      writeArrayHeader(count: values.count)
      for value in values { try write(value, depth: depth - 1) }
    case .map(let map):
      guard depth > 0 else { throw .tooDeep }
      writeMapHeader(count: map.count)
      for (key, value) in map.entries {
        write(key)
        try write(value, depth: depth - 1)
      }
    }
  }
}
