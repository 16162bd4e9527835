extension DocumentMerge {
  /// The new document, with those top-level fields of the old one that its type does not know.
  ///
  /// A field is unknown if the old document, decoded and encoded again, does not have it. So a
  /// field that the type knows and the new document lacks stays removed.
  ///
  /// - Throws: What decoding or encoding the old document throws.
  package static func keepingUnknownFields<T: Codable>(
    new: [UInt8], newFormat: BodyFormat, old: [UInt8], oldFormat: BodyFormat, as type: T.Type
  ) throws -> [UInt8] {
    let oldBytes = try oldFormat.messagePack(old)
    let newBytes = try newFormat.messagePack(new)
    var candidates = try fields(of: oldBytes.span, exceptThoseOf: newBytes.span)
    guard !candidates.isEmpty else { return new }
    let value = try DocumentDecoder().decode(type, from: oldBytes)
    let known = try DocumentEncoder().encode(value)
    let unknown = Set(try fields(of: oldBytes.span, exceptThoseOf: known.span).map(\.lowerBound))
    candidates.removeAll { !unknown.contains($0.lowerBound) }
    guard !candidates.isEmpty else { return new }
    let merged = try append(candidates, of: oldBytes, to: newBytes)
    return try newFormat.body(ofMessagePack: merged)
  }

  /// The entries of a document whose keys another one does not have.
  ///
  /// Mostly both have the same keys in the same order; only what follows the first difference is
  /// looked up. No key occurs twice in a document, so what stood before cannot come again.
  private static func fields(
    of document: Span<UInt8>, exceptThoseOf other: Span<UInt8>
  ) throws(FormatError) -> [Range<Int>] {
    var reader = MessagePackReader(document)
    var otherReader = MessagePackReader(other)
    var count = try reader.readMapHeader()
    var otherCount = try otherReader.readMapHeader()
    while count > 0, otherCount > 0 {
      var ahead = reader
      var otherAhead = otherReader
      let key = try ahead.readBytes(spanOf: try ahead.readKeyHeader())
      let otherSize = try otherAhead.readKeyHeader()
      guard otherSize == key.count, otherAhead.readBytes(ifEqual: key) else { break }
      try ahead.skipValue()
      try otherAhead.skipValue()
      reader = ahead
      otherReader = otherAhead
      count -= 1
      otherCount -= 1
    }
    if count == 0 { return [] }
    var keys = Set<[UInt8]>()
    for _ in 0..<otherCount {
      keys.insert(try otherReader.readBytes(try otherReader.readKeyHeader()))
      try otherReader.skipValue()
    }
    var found: [Range<Int>] = []
    for _ in 0..<count {
      let start = reader.offset
      let isKnown = keys.contains(try reader.readBytes(try reader.readKeyHeader()))
      try reader.skipValue()
      if !isKnown { found.append(start..<reader.offset) }
    }
    return found
  }

  private static func append(
    _ entries: [Range<Int>], of source: [UInt8], to document: [UInt8]
  ) throws(FormatError) -> [UInt8] {
    var reader = MessagePackReader(document.span)
    let count = try reader.readMapHeader()
    var writer = MessagePackWriter(capacity: source.count + document.count)
    writer.writeMapHeader(count: count + entries.count)
    writer.append(document.span.extracting(reader.offset..<document.count))
    for entry in entries { writer.append(source.span.extracting(entry)) }
    return writer.bytes()
  }
}
