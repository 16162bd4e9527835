/// The clear front of a slot's payload: the record's state without its bodies, and its id.
///
///     payload := prelude, body section
///     prelude := kind u8, own | own deletion | full, id length varint, id key,
///                raw length varint if the body section is compressed
///     kind    := bits 0–1: 0 own, 1 own deletion, 2 full; bit 2: format of the seen body
///     own     := author varint, tag u8[8], time u48
///     own deletion := author varint
///     full    := source varint, vector, entry count varint, entries, the seen one first
///     entry   := dot, tag u8[8], time u48, format u8, body length varint
///
/// The body section is the bodies of the entries in their order. *Own* is the short form of a
/// state that holds one write: that of the slot's own sequence by an author of this database.
/// The source tells from which peer a state came unchanged: 0 none, else its local number.
package struct Prelude: Hashable, Sendable {
  /// An entry without its body.
  package struct Entry: Hashable, Sendable {
    package var dot: Dot
    package var tag: UInt64
    package var time: UInt64
    package var format: BodyFormat

    /// The size of the body; `nil` where it is the whole body section.
    package var bodySize: Int?
  }

  package var vector: VersionVector
  package var entries: [Entry]
  package var source: UInt32
  package var idKey: [UInt8]

  /// The size of the body section before compression, if it is compressed.
  package var rawSize: Int?

  /// Reads a prelude; the reader then stands at the body section.
  package init(
    from reader: inout ByteReader, sequence: UInt64, authors: [ReplicaID], isCompressed: Bool
  ) throws(FormatError) {
    let kind = try PreludeKind(from: &reader)
    source = 0
    switch kind.form {
    case .own:
      let dot = try Self.ownDot(from: &reader, sequence: sequence, authors: authors)
      let tag = try reader.readUInt64().byteSwapped
      let time = try Self.readTime(&reader)
      vector = VersionVector(dot)
      entries = [Entry(dot: dot, tag: tag, time: time, format: kind.format, bodySize: nil)]
    case .ownDeletion:
      vector = VersionVector(try Self.ownDot(from: &reader, sequence: sequence, authors: authors))
      entries = []
    case .full:
      source = try Self.readSource(&reader)
      vector = try VersionVector(from: &reader)
      let count = try Self.readEntryCount(&reader)
      entries = []
      for _ in 0..<count {
        entries.append(try Self.readEntry(&reader))
      }
      guard entries.first.map({ $0.format == kind.format }) ?? true else {
        throw .invalid("a prelude whose format bit is not that of the seen entry")
      }
    }
    idKey = try reader.readBytes(try reader.readLength())
    rawSize = isCompressed ? try Self.readSize(&reader) : nil
  }

  /// The whole state, given the body section, inflated.
  package func state(bodySection: Span<UInt8>) throws(FormatError) -> RecordState {
    var reader = ByteReader(bodySection)
    var standing: [StandingEntry] = []
    standing.reserveCapacity(entries.count)
    for entry in entries {
      let body = try reader.readBytes(entry.bodySize ?? bodySection.count)
      standing.append(
        StandingEntry(
          dot: entry.dot, tag: entry.tag, time: entry.time, format: entry.format, body: body))
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the last body") }
    return RecordState(vector: vector, entries: standing)
  }
}

extension Prelude {
  /// The prelude of a state that the slot with the sequence is to hold.
  package static func encode(
    _ state: RecordState, sequence: UInt64, authors: [ReplicaID], source: UInt32, idKey: [UInt8],
    rawSize: Int?
  ) -> [UInt8] {
    var writer = ByteWriter(capacity: 32 + idKey.count)
    if source == 0, let author = ownAuthor(of: state, sequence: sequence, authors: authors) {
      let kind = PreludeKind(
        form: state.isDeleted ? .ownDeletion : .own, format: state.seen?.format ?? .messagePack)
      writer.write(kind.byte)
      writer.writeVarint(UInt64(author))
      if let entry = state.seen {
        writer.write(entry.tag.byteSwapped)
        writeTime(entry.time, into: &writer)
      }
    } else {
      encodeFull(state, source: source, into: &writer)
    }
    writer.writeLengthPrefixed(idKey)
    if let rawSize { writer.writeVarint(UInt64(rawSize)) }
    return writer.finish()
  }

  /// The prelude of a state that holds one write: that of its slot, by the author of this index.
  package static func encodeOwn(
    author: Int, tag: UInt64, time: UInt64, format: BodyFormat, idKey: [UInt8], rawSize: Int?
  ) -> [UInt8] {
    var writer = ByteWriter(capacity: 32 + idKey.count)
    writer.write(PreludeKind(form: .own, format: format).byte)
    writer.writeVarint(UInt64(author))
    writer.write(tag.byteSwapped)
    writeTime(time, into: &writer)
    writer.writeLengthPrefixed(idKey)
    if let rawSize { writer.writeVarint(UInt64(rawSize)) }
    return writer.finish()
  }

  /// The prelude of a state in which the author of this index has deleted its own write.
  package static func encodeOwnDeletion(author: Int, idKey: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: 16 + idKey.count)
    writer.write(PreludeKind(form: .ownDeletion, format: .messagePack).byte)
    writer.writeVarint(UInt64(author))
    writer.writeLengthPrefixed(idKey)
    return writer.finish()
  }

  /// The earliest time of what the author of this index writes next; `nil` if somebody else has
  /// ever written the record, or the payload does not read.
  package static func timeAfterOwn(_ payload: Span<UInt8>, author: Int) -> UInt64? {
    var reader = ByteReader(payload)
    guard let kind = try? PreludeKind(from: &reader), kind.form != .full,
      let found = try? reader.readVarint(), found == UInt64(author)
    else { return nil }
    if kind.form == .ownDeletion { return 0 }
    guard (try? reader.skip(8)) != nil else { return nil }
    return (try? readTime(&reader)).map { $0 + 1 }
  }

  private static func encodeFull(
    _ state: RecordState, source: UInt32, into writer: inout ByteWriter
  ) {
    writer.write(PreludeKind(form: .full, format: state.seen?.format ?? .messagePack).byte)
    writer.writeVarint(UInt64(source))
    state.vector.encode(into: &writer)
    writer.writeVarint(UInt64(state.entries.count))
    for entry in state.entries {
      entry.dot.encode(into: &writer)
      writer.write(entry.tag.byteSwapped)
      writeTime(entry.time, into: &writer)
      writer.write(entry.format.rawValue)
      writer.writeVarint(UInt64(entry.body.count))
    }
  }

  /// The author's index, if the state holds the write of this slot and nothing else.
  private static func ownAuthor(
    of state: RecordState, sequence: UInt64, authors: [ReplicaID]
  ) -> Int? {
    let dots = state.vector.dots
    guard dots.count == 1, dots[0].sequence == sequence, state.entries.count <= 1,
      state.entries.first.map({ $0.dot == dots[0] }) ?? true
    else { return nil }
    return authors.lastIndex(of: dots[0].replica)
  }

  private static func ownDot(
    from reader: inout ByteReader, sequence: UInt64, authors: [ReplicaID]
  ) throws(FormatError) -> Dot {
    let author = try reader.readVarint()
    guard author < UInt64(authors.count) else { throw .invalid("an unknown author") }
    return Dot(replica: authors[Int(author)], sequence: sequence)
  }

  private static func readEntry(_ reader: inout ByteReader) throws(FormatError) -> Entry {
    let dot = try Dot(from: &reader)
    let tag = try reader.readUInt64().byteSwapped
    let time = try readTime(&reader)
    let format = try readFormat(&reader)
    return Entry(dot: dot, tag: tag, time: time, format: format, bodySize: try readSize(&reader))
  }
}

extension Prelude {
  package static func writeTime(_ time: UInt64, into writer: inout ByteWriter) {
    writer.write(UInt32(truncatingIfNeeded: time))
    writer.write(UInt16(truncatingIfNeeded: time >> 32))
  }

  package static func readTime(_ reader: inout ByteReader) throws(FormatError) -> UInt64 {
    let low = try reader.readUInt32()
    return UInt64(low) | UInt64(try reader.readUInt16()) << 32
  }

  package static func readFormat(_ reader: inout ByteReader) throws(FormatError) -> BodyFormat {
    let byte = try reader.readUInt8()
    guard let format = BodyFormat(rawValue: byte) else {
      throw .unsupported("body format \(byte)")
    }
    return format
  }

  static func readSource(_ reader: inout ByteReader) throws(FormatError) -> UInt32 {
    let number = try reader.readVarint()
    guard let source = UInt32(exactly: number) else { throw .lengthOutOfRange(number) }
    return source
  }

  static func readEntryCount(_ reader: inout ByteReader) throws(FormatError) -> Int {
    let count = try reader.readVarint()
    guard count <= UInt64(VersionLimits.entryCount) else { throw .lengthOutOfRange(count) }
    return Int(count)
  }

  static func readSize(_ reader: inout ByteReader) throws(FormatError) -> Int {
    let size = try reader.readVarint()
    guard size <= UInt64(UInt32.max) else { throw .lengthOutOfRange(size) }
    return Int(size)
  }
}

/// The first byte of a prelude.
struct PreludeKind {
  /// The three forms of a prelude.
  enum Form: UInt8 { case own = 0, ownDeletion, full }

  var form: Form
  var format: BodyFormat

  init(form: Form, format: BodyFormat) {
    self.form = form
    self.format = format
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    let byte = try reader.readUInt8()
    guard byte < 8, let form = Form(rawValue: byte & 3) else {
      throw .unsupported("prelude kind \(byte)")
    }
    self.form = form
    format = byte & 4 == 0 ? .messagePack : .json
  }

  var byte: UInt8 { form.rawValue | (format == .json ? 4 : 0) }
}
