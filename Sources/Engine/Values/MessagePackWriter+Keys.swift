extension MessagePackWriter {
  /// The bytes of the key that was written at an offset.
  package func key(at offset: Int) -> [UInt8]? {
    var reader = MessagePackReader(span, at: offset)
    guard let size = try? reader.readKeyHeader() else { return nil }
    return try? reader.readBytes(size)
  }

  /// Whether the key at an offset is one of those between another offset and itself.
  package func isKeyRepeated(at newest: Int, since start: Int) -> Bool {
    guard let key = key(at: newest) else { return false }
    var reader = MessagePackReader(span, at: start)
    while reader.offset < newest {
      guard let size = try? reader.readKeyHeader() else { return false }
      if size == key.count, reader.readBytes(ifEqual: key.span) { return true }
      guard (try? reader.skipBytes(size)) != nil, (try? reader.skipValue()) != nil else {
        return false
      }
    }
    return false
  }

  /// Removes those entries, of the ones that were written since an offset, whose key comes again
  /// later; returns how many are left.
  package mutating func removeRepeatedKeys(since start: Int) -> Int {
    if let count = countOfDistinctKeys(since: start) { return count }
    var entries: [(key: [UInt8], range: Range<Int>)] = []
    var lastIndex: [[UInt8]: Int] = [:]
    var reader = MessagePackReader(span, at: start)
    while reader.remaining > 0 {
      let offset = reader.offset
      guard let size = try? reader.readKeyHeader(), let key = try? reader.readBytes(size),
        (try? reader.skipValue()) != nil
      else { break }
      lastIndex[key] = entries.count
      entries.append((key, offset..<reader.offset))
    }
    guard lastIndex.count < entries.count else { return entries.count }
    var kept: [UInt8] = []
    for (index, entry) in entries.enumerated() where lastIndex[entry.key] == index {
      for offset in entry.range { kept.append(span[offset]) }
    }
    truncate(to: start)
    append(kept.span)
    return lastIndex.count
  }

  /// The number of the entries that were written since an offset, if no two keys have one hash.
  private func countOfDistinctKeys(since start: Int) -> Int? {
    var hashes = Set<Int>()
    var reader = MessagePackReader(span, at: start)
    while reader.remaining > 0 {
      guard let size = try? reader.readKeyHeader(), let key = try? reader.readSpan(size) else {
        return nil
      }
      var hasher = Hasher()
      unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
      guard hashes.insert(hasher.finalize()).inserted, (try? reader.skipValue()) != nil else {
        return nil
      }
    }
    return hashes.count
  }
}
