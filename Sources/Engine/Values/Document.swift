/// A document without a Swift type of its own, as the bytes that are stored.
public struct Document: Sendable {
  /// The encoded document.
  public let bytes: [UInt8]

  /// How the bytes are written.
  public let format: BodyFormat

  package init(uncheckedBytes bytes: [UInt8], format: BodyFormat) {
    self.bytes = bytes
    self.format = format
  }

  /// A document of encoded bytes, which are checked throughout.
  package init(bytes: [UInt8], format: BodyFormat) throws(FormatError) {
    throw .unsupported("thin")
  }

  /// A document of a JSON text.
  ///
  /// - Throws: ``JSONError`` if the text is not one JSON object.
  public init(json text: String) throws(JSONError) {
    try self.init(json: Array(text.utf8))
  }

  /// A document of a JSON text in UTF-8.
  ///
  /// - Throws: ``JSONError`` if the bytes are not one JSON object.
  public init(json text: [UInt8]) throws(JSONError) {
    throw JSONError(offset: 0, reason: "thin")
  }

  /// A document of values.
  package init(_ map: DocumentMap) throws(FormatError) {
    throw .unsupported("thin")
  }

  /// The document as JSON text in one line.
  public func json() -> String { "" }

  /// The value at a path, or `nil` if there is no such field.
  public subscript(path: FieldPath) -> DocumentValue? { nil }
}
