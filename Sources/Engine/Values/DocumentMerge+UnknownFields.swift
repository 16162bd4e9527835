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
  private static func fields(
    of document: Span<UInt8>, exceptThoseOf other: Span<UInt8>
  ) throws(FormatError) -> [Range<Int>] {
    var keys = Set<[UInt8]>()
    var reader = MessagePackReader(other)
    for _ in 0..<(try reader.readMapHeader()) {
      let size = try reader.readKeyHeader()
      keys.insert(try reader.readBytes(size))
      try reader.skipValue()
    }
    var found: [Range<Int>] = []
    reader = MessagePackReader(document)
    for _ in 0..<(try reader.readMapHeader()) {
      let start = reader.offset
      let size = try reader.readKeyHeader()
      let isKnown = keys.contains(try reader.readBytes(size))
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
