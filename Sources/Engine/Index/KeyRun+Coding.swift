/// A run as it lies in a file: nearly as it lies in memory, so that little is left to do.
///
///     run := count varint, prefix size varint, count × rest size varint, count × handle varint,
///            prefix, rests
extension KeyRun {
  func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(count))
    writer.writeVarint(UInt64(prefixCount))
    var start = prefixCount
    for entry in entries {
      writer.writeVarint(UInt64(Int(entry.end) - start))
      start = Int(entry.end)
    }
    for entry in entries { writer.writeVarint(UInt64(entry.handle)) }
    writer.write(bytes)
  }

  /// - Throws: ``FormatError`` if the bytes are no run with ascending pairs and such handles.
  init(from reader: inout ByteReader, handleLimit: Int) throws(FormatError) {
    let count = try reader.readVarint()
    guard count > 0, count <= UInt64(OrderedIndex.runCountLimit) else {
      throw .lengthOutOfRange(count)
    }
    let prefixCount = try reader.readLength(limit: OrderedIndex.keySizeLimit)
    var entries: [Entry] = []
    entries.reserveCapacity(Int(count))
    var end = prefixCount
    for _ in 0..<count {
      let size = try reader.readVarint()
      guard size <= UInt64(OrderedIndex.keySizeLimit - prefixCount) else {
        throw .lengthOutOfRange(size)
      }
      end += Int(size)
      entries.append(Entry(handle: 0, end: UInt32(end), head: 0))
    }
    for index in entries.indices {
      let handle = try reader.readVarint()
      guard handle < UInt64(handleLimit) else { throw .lengthOutOfRange(handle) }
      entries[index].handle = UInt32(handle)
    }
    self.init(bytes: try reader.readBytes(end), entries: entries, prefixCount: prefixCount)
    guard isAscending else { throw .invalid("pairs out of order") }
  }
}
