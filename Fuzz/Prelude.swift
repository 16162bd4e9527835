import NyaruEngine

private let authors = [ReplicaID(number: 1), ReplicaID(number: 2)]

/// A prelude throws, or its state is one that encodes to what decodes to the same state.
func fuzzPrelude(_ bytes: [UInt8]) {
  for isCompressed in [false, true] {
    var reader = ByteReader(bytes.span)
    let prelude = try? Prelude(
      from: &reader, sequence: 7, authors: authors, isCompressed: isCompressed)
    guard let prelude else { continue }
    let bodies = bytes.span.extracting(reader.offset...)
    guard let state = try? prelude.state(bodySection: bodies) else { continue }
    let encoded = Prelude.encode(
      state, sequence: 7, authors: authors, source: prelude.source, idKey: prelude.idKey,
      rawSize: prelude.rawSize)
    var again = ByteReader(encoded.span)
    let decoded = try? Prelude(
      from: &again, sequence: 7, authors: authors, isCompressed: isCompressed)
    precondition(again.remaining == 0, "a prelude that does not read to its end")
    let section = state.entries.flatMap(\.body)
    let same = try? decoded?.state(bodySection: section.span)
    precondition(same == state && decoded?.idKey == prelude.idKey, "another state came back")
  }
}
