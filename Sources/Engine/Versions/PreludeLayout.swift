/// Where the id and the seen body lie in a payload, read without allocating.
///
/// For scans, which need no vectors and no conflicts.
package struct PreludeLayout: Sendable {
  package private(set) var isDeletion: Bool

  /// The format of the seen body.
  package private(set) var format: BodyFormat

  /// The id key in the payload.
  package private(set) var id: Range<Int>

  /// The start of the body section in the payload.
  package private(set) var bodyOffset: Int

  /// The size of the body section before compression, if it is compressed.
  package private(set) var rawSize: Int?

  /// The size of the seen body at the start of the section; `nil` where it is all of the section.
  package private(set) var seenSize: Int?

  package init(_ payload: Span<UInt8>, isCompressed: Bool) throws(FormatError) {
    var reader = ByteReader(payload)
    let kind = try PreludeKind(from: &reader)
    format = kind.format
    isDeletion = false
    switch kind.form {
    case .own:
      _ = try reader.readVarint()
      try reader.skip(14)
    case .ownDeletion:
      _ = try reader.readVarint()
      isDeletion = true
    case .full:
      _ = try Prelude.readSource(&reader)
      try Self.skipVector(&reader)
      let count = try Prelude.readEntryCount(&reader)
      isDeletion = count == 0
      for index in 0..<count {
        try reader.skip(8)
        _ = try reader.readVarint()
        try reader.skip(15)
        let size = try Prelude.readSize(&reader)
        if index == 0 { seenSize = size }
      }
    }
    let length = try reader.readLength()
    id = reader.offset..<reader.offset + length
    try reader.skip(length)
    if isCompressed { rawSize = try Prelude.readSize(&reader) }
    bodyOffset = reader.offset
  }

  private static func skipVector(_ reader: inout ByteReader) throws(FormatError) {
    let count = try reader.readVarint()
    guard count <= UInt64(VersionLimits.authorCount) else { throw .lengthOutOfRange(count) }
    for _ in 0..<count {
      try reader.skip(8)
      _ = try reader.readVarint()
    }
  }
}
