/// Values as bytes whose order (memcmp, the shorter first) is the order of the values.
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
  }

  /// The key of a value.
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
    throw .unsupported("thin")
  }

  /// The value of a key; of equal numbers the integer stands for all.
  package static func decode(_ bytes: [UInt8]) throws(FormatError) -> DocumentValue {
    throw .unsupported("thin")
  }

  /// The key of a document's field, or `nil` if the field is missing.
  package static func key(
    at path: FieldPath, in body: [UInt8], format: BodyFormat,
    limit: Int = DocumentLimits.keyPrefixSize
  ) throws(FormatError) -> Prefix? {
    throw .unsupported("thin")
  }
}
