import NyaruEngine

private let documents = [
  #"{"a":1,"b":"x"}"#, #"{"a":"1","b":null}"#, #"{"a":[1,2],"b":{"a":2.5}}"#, #"{"b":true}"#,
].map { (text) -> [UInt8] in
  let bytes = Array(text.utf8)
  return (try? JSONText.messagePack(from: bytes.span)) ?? []
}

/// An expression throws at a place inside it, or is a filter whose ranges hold what matches.
func fuzzFilter(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  let filter: CompiledFilter
  do throws(FilterSyntaxError) {
    filter = CompiledFilter(try Filter(parsing: text))
  } catch {
    precondition((0...text.count).contains(error.position), "a place outside of the text")
    _ = error.description
    return
  }
  for document in documents {
    for field in ["a", "b", "b.a"].map({ FieldPath($0) }) {
      check(filter, field, document)
    }
  }
}

private func check(_ filter: CompiledFilter, _ field: FieldPath, _ document: [UInt8]) {
  guard let isMatch = try? filter.matches(document, format: .messagePack) else {
    preconditionFailure("a valid document does not read")
  }
  guard isMatch, let ranges = filter.keyRanges(for: field) else { return }
  let key = try? OrderedKey.key(at: field, in: document, format: .messagePack)?.bytes
  let isInside = ranges.contains { range in
    guard let key else { return false }
    return !key.lexicographicallyPrecedes(range.lower)
      && range.upper.map { key.lexicographicallyPrecedes($0) } ?? true
  }
  precondition(isInside, "a match outside of the index's ranges")
}
