/// A document without a Swift type of its own, as the bytes that are stored.
///
/// Two documents are equal if they have the same fields with equal values, in whatever order and
/// format.
public struct Document: Sendable {
  /// The encoded document.
  public let bytes: [UInt8]

  /// How the bytes are written.
  public let format: BodyFormat

  /// A document of encoded bytes, which are checked throughout.
  package init(bytes: [UInt8], format: BodyFormat) throws(FormatError) {
    let messagePack = try format.messagePack(bytes)
    try MessagePackReader.validateDocument(messagePack.span)
    self.bytes = bytes
    self.format = format
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
    bytes = try JSONText.messagePack(from: text.span)
    format = .messagePack
    guard bytes[0] & 0xF0 == 0x80 || bytes[0] & 0xFE == 0xDE else {
      throw JSONError(offset: 0, reason: "a document is an object")
    }
  }

  /// A document of values.
  ///
  /// - Throws: `tooDeep`.
  package init(_ map: DocumentMap) throws(FormatError) {
    var writer = MessagePackWriter()
    try writer.write(.map(map))
    bytes = writer.bytes()
    format = .messagePack
  }

  /// The document as JSON text in one line.
  public func json() -> String {
    // The bytes were checked, so nothing here fails.
    let text = format == .json ? bytes : try? JSONText.write(messagePack: bytes.span)
    return String(decoding: text ?? [], as: UTF8.self)
  }

  /// The fields with their values.
  public var fields: DocumentMap {
    guard let bytes = try? format.messagePack(bytes) else { return [:] }
    var reader = MessagePackReader(bytes.span)
    guard case .map(let map)? = try? reader.readValue() else { return [:] }
    return map
  }

  /// The value at a path, or `nil` if there is no such field.
  public subscript(path: FieldPath) -> DocumentValue? {
    try? FieldReader.value(at: path, in: bytes, format: format)
  }

  /// The value at a path, or `nil` if there is no such field.
  public subscript(path: String) -> DocumentValue? { self[FieldPath(path)] }
}

extension Document: Equatable {
  /// Whether both have the same fields with equal values.
  public static func == (left: Document, right: Document) -> Bool {
    left.bytes == right.bytes && left.format == right.format || left.fields == right.fields
  }
}

extension Document: CustomStringConvertible {
  /// The JSON text.
  public var description: String { json() }
}
