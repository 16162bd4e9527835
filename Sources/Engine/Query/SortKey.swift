/// A field to sort by.
public struct SortKey: Sendable, Hashable {
  /// The field.
  public var path: FieldPath

  /// Whether small values come first; missing fields are the smallest.
  public var isAscending: Bool

  /// A field to sort by.
  public init(_ path: FieldPath, ascending: Bool = true) {
    self.path = path
    isAscending = ascending
  }
}

/// Turns the sort fields of a document into one key of bytes, compared with memcmp.
package struct SortComparator: Sendable {
  /// Before every value, and neither 00 nor FF, which have a meaning behind a text.
  private static let missing: UInt8 = 0x04

  package let keys: [SortKey]

  package init(_ keys: [SortKey]) { self.keys = keys }

  /// The key of a document; equal documents are in the order of their ids.
  package func key(
    of body: [UInt8], format: BodyFormat, idKey: [UInt8]
  ) throws(FormatError) -> [UInt8] {
    try key(of: body.span, format: format, idKey: idKey)
  }

  /// The key of a document; equal documents are in the order of their ids.
  package func key(
    of body: Span<UInt8>, format: BodyFormat, idKey: [UInt8]
  ) throws(FormatError) -> [UInt8] {
    guard !keys.isEmpty else { return idKey }
    guard format == .json else { return try key(ofMessagePack: body, idKey: idKey) }
    let bytes = try format.messagePack(body)
    return try key(ofMessagePack: bytes.span, idKey: idKey)
  }

  /// Fields as items of ordered keys, none of which is the start of another, so that they can
  /// stand behind one another; what sorts downwards is inverted.
  private func key(
    ofMessagePack body: Span<UInt8>, idKey: [UInt8]
  ) throws(FormatError) -> [UInt8] {
    var bytes: [UInt8] = []
    for key in keys {
      let start = bytes.count
      var reader = MessagePackReader(body)
      if try reader.seek(key.path) {
        try OrderedKey.encodeItem(&reader, into: &bytes)
      } else {
        bytes.append(Self.missing)
      }
      if !key.isAscending { for index in start..<bytes.count { bytes[index] = ~bytes[index] } }
    }
    return bytes + idKey
  }
}
