extension OrderedKey {
  /// Appends the key of the value that comes next, so that more can follow behind it.
  package static func encodeItem(
    _ reader: inout MessagePackReader, into bytes: inout [UInt8],
    depth: Int = DocumentLimits.depth
  ) throws(FormatError) {
    switch try reader.readHeader() {
    case .null: bytes.append(Tag.null)
    case .bool(let value): bytes.append(value ? Tag.boolTrue : Tag.boolFalse)
    case .integer(let value): append(NumberKey(value), to: &bytes)
    case .unsigned(let value): append(NumberKey(value), to: &bytes)
    case .double(let value): append(NumberKey(value), to: &bytes)
    case .string(let size): try appendEnded(Tag.string, size: size, from: &reader, to: &bytes)
    case .binary(let size): try appendEnded(Tag.binary, size: size, from: &reader, to: &bytes)
    case .array(let count):
      guard depth > 0 else { throw .tooDeep }
      bytes.append(Tag.array)
      for _ in 0..<count { try encodeItem(&reader, into: &bytes, depth: depth - 1) }
      bytes.append(Tag.end)
    case .map(let count):
      guard depth > 0 else { throw .tooDeep }
      try appendEntries(count, from: &reader, to: &bytes, depth: depth - 1)
    }
  }

  /// Appends a map, each entry encoded on its own first, since their order is not that of the
  /// document.
  private static func appendEntries(
    _ count: Int, from reader: inout MessagePackReader, to bytes: inout [UInt8], depth: Int
  ) throws(FormatError) {
    var entries: [[UInt8]] = []
    for _ in 0..<count {
      var entry: [UInt8] = []
      let size = try reader.readKeyHeader()
      try appendEnded(Tag.string, size: size, from: &reader, to: &entry)
      try encodeItem(&reader, into: &entry, depth: depth)
      entries.append(entry)
    }
    // No ended key is the start of another, so the values behind them have no say in the order.
    entries.sort { $0.lexicographicallyPrecedes($1) }
    bytes.append(Tag.map)
    for entry in entries { bytes.append(contentsOf: entry) }
    bytes.append(Tag.end)
  }

  private static func appendEnded(
    _ tag: UInt8, size: Int, from reader: inout MessagePackReader, to bytes: inout [UInt8]
  ) throws(FormatError) {
    bytes.append(tag)
    let content = try reader.readSpan(size)
    for offset in content.byteOffsets {
      let byte = unsafe content.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      bytes.append(byte)
      if byte == 0 { bytes.append(0xFF) }
    }
    bytes.append(Tag.end)
  }
}

extension OrderedKey {
  /// The value of a key; of equal numbers the integer stands for all.
  package static func decode(_ bytes: [UInt8]) throws(FormatError) -> DocumentValue {
    var rest = bytes[...]
    switch rest.popFirst() {
    case Tag.string: return .string(try text(Array(rest)))
    case Tag.binary: return .binary(Array(rest))
    default:
      rest = bytes[...]
      let value = try item(&rest, depth: DocumentLimits.depth)
      guard rest.isEmpty else { throw .invalid("bytes behind a key") }
      return value
    }
  }

  private static func item(
    _ rest: inout ArraySlice<UInt8>, depth: Int
  ) throws(FormatError) -> DocumentValue {
    guard let tag = rest.popFirst() else { throw .truncated }
    switch tag {
    case Tag.null: return .null
    case Tag.boolFalse: return .bool(false)
    case Tag.boolTrue: return .bool(true)
    case Tag.number:
      let (key, size) = try NumberKey.decode(rest)
      rest = rest.dropFirst(size)
      guard let value = key.value else { throw .invalid("a number in a key") }
      return value
    case Tag.string: return .string(try text(try ended(&rest)))
    case Tag.binary: return .binary(try ended(&rest))
    case Tag.array:
      guard depth > 0 else { throw .tooDeep }
      var values: [DocumentValue] = []
      while try !end(&rest) { values.append(try item(&rest, depth: depth - 1)) }
      return .array(values)
    case Tag.map:
      guard depth > 0 else { throw .tooDeep }
      return .map(try map(&rest, depth: depth - 1))
    default: throw .invalid("the tag of a key")
    }
  }

  private static func map(
    _ rest: inout ArraySlice<UInt8>, depth: Int
  ) throws(FormatError) -> DocumentMap {
    var entries: [DocumentMap.Entry] = []
    while try !end(&rest) {
      guard rest.popFirst() == Tag.string else { throw .invalid("a map in a key") }
      let key = try text(try ended(&rest))
      if let last = entries.last, !last.key.utf8.lexicographicallyPrecedes(key.utf8) {
        throw .invalid("a map in a key that is not sorted")
      }
      entries.append((key, try item(&rest, depth: depth)))
    }
    return DocumentMap(uniqueEntries: entries)
  }

  /// Whether an array or map ends here, whose end then is read.
  private static func end(_ rest: inout ArraySlice<UInt8>) throws(FormatError) -> Bool {
    guard let byte = rest.first else { throw .truncated }
    guard byte == Tag.end else { return false }
    rest.removeFirst()
    return true
  }

  private static func ended(_ rest: inout ArraySlice<UInt8>) throws(FormatError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == 0 {
        guard rest.first == 0xFF else { return bytes }
        rest.removeFirst()
      }
      bytes.append(byte)
    }
    throw .truncated
  }

  private static func text(_ bytes: [UInt8]) throws(FormatError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalid("a string in a key that is not UTF-8")
    }
    return text
  }
}
