/// Finds several fields of a document in one pass over its bytes.
package struct FieldFinder: Sendable {
  /// Fields that one finder looks for at most.
  package static let fieldLimit = 16

  /// Where the values of the fields start; -1 for a missing one.
  package typealias Offsets = InlineArray<16, Int>

  /// The keys, one behind the other.
  private let keys: [UInt8]
  private let ends: [Int]

  /// Fails if there are too many fields, or if one is not a field of the document itself.
  package init?(_ paths: [FieldPath]) {
    guard paths.count <= Self.fieldLimit, paths.allSatisfy({ $0.keys.count == 1 }) else {
      return nil
    }
    keys = paths.flatMap { $0.keys[0] }
    var end = 0
    ends = paths.map { path in
      end += path.keys[0].count
      return end
    }
  }

  /// Where the fields lie in a document; of a key that occurs twice, the first counts.
  package func offsets(in document: Span<UInt8>) throws(FormatError) -> Offsets {
    var offsets = Offsets(repeating: -1)
    let (keys, ends) = (keys.span, ends.span)
    var missing = ends.count
    var reader = MessagePackReader(document)
    for _ in 0..<(try reader.readMapHeader()) {
      if missing == 0 { break }
      let size = try reader.readKeyHeader()
      let valueStart = reader.offset + size
      var start = 0
      for field in ends.indices {
        let end = ends[field]
        if end - start == size, offsets[field] < 0 {
          var probe = reader
          if probe.readBytes(ifEqual: keys.extracting(start..<end)) {
            offsets[field] = valueStart
            missing -= 1
          }
        }
        start = end
      }
      try reader.skipBytes(size)
      if missing > 0 { try reader.skipValue() }
    }
    return offsets
  }
}
