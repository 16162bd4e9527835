/// Changes to encoded documents that leave the rest of the bytes as they are.
package enum DocumentMerge {
  /// The document with the values set, and fields removed; maps on the way are made where they
  /// are missing.
  ///
  /// - Throws: `invalid` if a path leads through something that is neither a map nor an element
  ///   that an array has, and `tooDeep` if the document would have too many levels.
  package static func patch(
    _ body: [UInt8], format: BodyFormat, changes: [(FieldPath, DocumentValue)],
    removing: [FieldPath] = []
  ) throws(FormatError) -> [UInt8] {
    var bytes = try format.messagePack(body)
    for (path, value) in changes { try set(value, at: path, in: &bytes) }
    for path in removing { try remove(path, in: &bytes) }
    return try format.body(ofMessagePack: bytes)
  }

  private static func set(
    _ value: DocumentValue, at path: FieldPath, in bytes: inout [UInt8]
  ) throws(FormatError) {
    let place = try FieldPlace(path, in: bytes.span)
    let rest = path.components.dropFirst(place.depth)
    guard place.depth + rest.count <= DocumentLimits.depth else { throw .tooDeep }
    var writer = MessagePackWriter()
    if rest.isEmpty {
      try writer.write(value, depth: DocumentLimits.depth - place.depth)
      bytes.replaceSubrange(place.value, with: writer.bytes())
      return
    }
    guard place.isMap else { throw .invalid("a path through something that is not a map") }
    for (index, key) in rest.enumerated() {
      if index > 0 { writer.writeMapHeader(count: 1) }
      writer.write(key)
    }
    try writer.write(value, depth: DocumentLimits.depth - path.components.count)
    let header = header(ofMap: place.count + 1)
    bytes.insert(contentsOf: writer.bytes(), at: place.value.upperBound)
    bytes.replaceSubrange(place.header, with: header)
  }

  private static func remove(
    _ path: FieldPath, in bytes: inout [UInt8]
  ) throws(FormatError) {
    let place = try FieldPlace(path, in: bytes.span)
    guard place.depth == path.components.count else { return }
    guard place.isEntry else { throw .invalid("an element of an array cannot be removed") }
    bytes.removeSubrange(place.keyStart..<place.value.upperBound)
    bytes.replaceSubrange(place.header, with: header(ofMap: place.count - 1))
  }

  private static func header(ofMap count: Int) -> [UInt8] {
    var writer = MessagePackWriter(capacity: 16)
    writer.writeMapHeader(count: count)
    return writer.bytes()
  }
}

/// How far a path leads into a document.
private struct FieldPlace {
  /// How many keys of the path lead to something.
  private(set) var depth = 0

  /// The bytes of what they lead to.
  private(set) var value: Range<Int>

  /// Whether that is a map, if the path leads further: its header and count are the place's.
  private(set) var isMap = false

  /// Whether it is an entry of a map, if the path ends there: that map's header and count, and
  /// where the key starts, are the place's.
  private(set) var isEntry = false
  private(set) var header = 0..<0
  private(set) var count = 0
  private(set) var keyStart = 0

  init(_ path: FieldPath, in bytes: Span<UInt8>) throws(FormatError) {
    var reader = MessagePackReader(bytes)
    var start = 0
    value = 0..<bytes.count
    for key in path.keys {
      isMap = false
      isEntry = false
      switch try reader.readHeader() {
      case .map(let count):
        header = start..<reader.offset
        self.count = count
        isMap = true
        guard try seek(key, in: &reader) else { return }
        isEntry = true
      case .array(let count):
        guard let index = MessagePackReader.index(key), index < count else { return }
        for _ in 0..<index { try reader.skipValue() }
      default: return
      }
      start = reader.offset
      var behind = reader
      try behind.skipValue()
      value = start..<behind.offset
      depth += 1
    }
  }

  /// Moves to the value of a key, and notes where the key starts.
  private mutating func seek(
    _ key: [UInt8], in reader: inout MessagePackReader
  ) throws(FormatError) -> Bool {
    for _ in 0..<count {
      keyStart = reader.offset
      let size = try reader.readKeyHeader()
      if size == key.count, reader.readBytes(ifEqual: key.span) { return true }
      try reader.skipBytes(size)
      try reader.skipValue()
    }
    return false
  }
}
