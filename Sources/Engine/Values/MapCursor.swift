/// A place in a map from which the next key is looked for.
final class MapCursor {
  let state: DecodingState

  /// Where the map starts.
  let start: Int

  /// Where its first key starts.
  let first: Int
  let count: Int

  /// How deep what lies in the map is.
  let nesting: DecodingNesting

  /// Where the key starts at which the next search starts.
  private var offset: Int

  /// The number of that key.
  private var index = 0

  init(state: DecodingState, at start: Int, nesting: DecodingNesting) throws {
    try state.checkDepth(nesting, at: start)
    self.state = state
    self.start = start
    (first, count) = try state.map(at: start)
    offset = first
    self.nesting = DecodingNesting(
      containers: nesting.containers + 1, calls: nesting.calls)
  }

  /// Where the value of a key starts, or `nil` if the key is missing.
  ///
  /// - Complexity: O(1) if the key comes next, else O(*n*) in the size of the map.
  func find(_ key: String) throws -> Int? {
    let state = state
    var reader = state.reader(at: offset)
    do throws(FormatError) {
      for _ in 0..<count {
        if index == count {
          reader = state.reader(at: first)
          offset = first
          index = 0
        }
        let size = try reader.readKeyHeader()
        if size == key.utf8.count, reader.readBytes(ifEqual: key.utf8.span) {
          return reader.offset
        }
        try reader.skipBytes(size)
        try reader.skipValue()
        offset = reader.offset
        index += 1
      }
      return nil
    } catch {
      throw state.corrupted("\(error)", at: offset)
    }
  }

  /// Where the value of a key starts.
  func require(_ key: some CodingKey) throws -> Int {
    if let offset = try find(key.stringValue) { return offset }
    throw DecodingError.keyNotFound(
      key,
      .init(
        codingPath: state.path(to: start),
        debugDescription: "There is no field \"\(key.stringValue)\"."))
  }

  /// Where the value of a key starts, or `nil` if the key is missing or its value is null.
  func findPresent(_ key: String) throws -> Int? {
    guard let offset = try find(key), !state.isNull(at: offset) else { return nil }
    return offset
  }

  /// Starts the next search behind a value that was read.
  func moveOn(to end: Int) {
    offset = end
    index += 1
  }

  /// The keys in their order.
  func keys() -> [String] {
    var keys: [String] = []
    let state = state
    var reader = state.reader(at: first)
    for _ in 0..<count {
      guard let size = try? reader.readKeyHeader(), let key = try? reader.readString(size),
        (try? reader.skipValue()) != nil
      else { break }
      keys.append(key)
    }
    return keys
  }
}
