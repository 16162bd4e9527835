/// Values as bytes whose order (memcmp, the shorter first) is the order of the values.
///
///     key    := 08 (null) | 10 (false) | 11 (true) | 18 number | 20 text | 28 bytes
///             | 30 item* 00 (array) | 38 (20 ended item)* 00 (map, sorted by its keys' bytes)
///     item   := key, but text and bytes ended
///     ended  := u8*, in which 00 is written 00 FF, then 00
///     number := 1 to 11 bytes, see `NumberKey`
///
/// Text and bytes that are a key of their own go on to the end of the key. Nothing starts with a
/// byte below 08, so the end of an array or map comes before all that could follow in its place.
package enum OrderedKey {
  /// A key of an index: the bytes, cut to a limit.
  package struct Prefix: Equatable, Sendable {
    package var bytes: [UInt8]

    /// Whether bytes were cut off, so that the document has to be looked at, too.
    package var isTruncated: Bool

    package init(bytes: [UInt8], isTruncated: Bool) {
      self.bytes = bytes
      self.isTruncated = isTruncated
    }

    init(_ bytes: [UInt8], limit: Int) {
      isTruncated = bytes.count > limit
      self.bytes = isTruncated ? Array(bytes.prefix(limit)) : bytes
    }
  }

  /// The first byte of a key, which says what kind of value follows.
  package enum Tag {
    package static let end: UInt8 = 0x00
    package static let null: UInt8 = 0x08
    package static let boolFalse: UInt8 = 0x10
    package static let boolTrue: UInt8 = 0x11
    package static let number: UInt8 = 0x18
    package static let string: UInt8 = 0x20
    package static let binary: UInt8 = 0x28
    package static let array: UInt8 = 0x30
    package static let map: UInt8 = 0x38
  }

  /// The key of a value.
  ///
  /// - Throws: `tooDeep`.
  package static func key(of value: DocumentValue) throws(FormatError) -> [UInt8] {
    var bytes: [UInt8] = []
    try encode(value, into: &bytes)
    return bytes
  }

  /// Appends the key of a value.
  ///
  /// - Throws: `tooDeep`.
  package static func encode(
    _ value: DocumentValue, into bytes: inout [UInt8]
  ) throws(FormatError) {
    switch value {
    case .null: bytes.append(Tag.null)
    case .bool(let value): bytes.append(value ? Tag.boolTrue : Tag.boolFalse)
    case .integer(let value): append(NumberKey(value), to: &bytes)
    case .unsigned(let value): append(NumberKey(value), to: &bytes)
    case .double(let value): append(NumberKey(value), to: &bytes)
    case .string(let value):
      bytes.reserveCapacity(bytes.count + value.utf8.count + 1)
      bytes.append(Tag.string)
      bytes.append(contentsOf: value.utf8)
    case .binary(let value):
      bytes.append(Tag.binary)
      bytes.append(contentsOf: value)
    case .array, .map:
      var writer = MessagePackWriter()
      try writer.write(value)
      var reader = MessagePackReader(writer.span)
      try encodeItem(&reader, into: &bytes)
    }
  }

  /// The key of a document's field, or `nil` if the field is missing.
  package static func key(
    at path: FieldPath, in body: [UInt8], format: BodyFormat,
    limit: Int = DocumentLimits.keyPrefixSize
  ) throws(FormatError) -> Prefix? {
    let bytes = try format.messagePack(body)
    var reader = MessagePackReader(bytes.span)
    guard try reader.seek(path) else { return nil }
    return try key(&reader, limit: limit)
  }

  /// The key of the value that comes next.
  package static func key(
    _ reader: inout MessagePackReader, limit: Int
  ) throws(FormatError) -> Prefix {
    var bytes: [UInt8] = []
    switch try reader.peek() {
    case 0xA0...0xBF, 0xC4...0xC6, 0xD9...0xDB:
      switch try reader.readHeader() {
      case .string(let size):
        try append(Tag.string, size: size, from: &reader, limit: limit, to: &bytes)
      case .binary(let size):
        try append(Tag.binary, size: size, from: &reader, limit: limit, to: &bytes)
      default: throw .invalid("a string or binary")
      }
      return Prefix(bytes, limit: limit)
    default:
      bytes.reserveCapacity(1 + NumberKey.sizeLimit)
      try encodeItem(&reader, into: &bytes)
      return Prefix(bytes, limit: limit)
    }
  }

  /// Appends text or bytes that go on to the end of the key, to one byte above the limit at most.
  private static func append(
    _ tag: UInt8, size: Int, from reader: inout MessagePackReader, limit: Int,
    to bytes: inout [UInt8]
  ) throws(FormatError) {
    let kept = min(size, limit)
    bytes.reserveCapacity(kept + 1)
    bytes.append(tag)
    let content = try reader.readSpan(kept)
    unsafe content.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    try reader.skipBytes(size - kept)
  }

  static func append(_ number: NumberKey, to bytes: inout [UInt8]) {
    bytes.append(Tag.number)
    number.encode(into: &bytes)
  }
}
