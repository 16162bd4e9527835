package import NyaruEngine

/// Tells two states with one vector apart without showing what stands in them.
///
///     state tag := the first 8 bytes of SHA-256(vector, count varint, (dot, tag u8[8])…),
///                  the versions that stand sorted by dot, then by tag
package enum StateTag {
  package static func of(_ state: RecordState, hash: SHA256 = SHA256()) -> UInt64 {
    var writer = ByteWriter(capacity: 16 + 17 * state.vector.dots.count)
    state.vector.encode(into: &writer)
    writer.writeVarint(UInt64(state.entries.count))
    let sorted =
      state.entries.count < 2
      ? state.entries
      : state.entries.sorted { $0.dot != $1.dot ? $0.dot < $1.dot : $0.tag < $1.tag }
    for entry in sorted {
      entry.dot.encode(into: &writer)
      writer.write(entry.tag.byteSwapped)
    }
    hash.update(writer.bytes.span)
    return hash.finish().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
