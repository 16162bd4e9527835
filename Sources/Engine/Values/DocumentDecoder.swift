/// Decodes what is `Decodable` from the bytes of a document.
///
/// There is no tree of values in between: a container looks for each key in the bytes, from the
/// place on where the last one was found, so that a type that asks for its keys in the order in
/// which they were written looks at each byte once. What no type asks for is skipped.
public struct DocumentDecoder: Sendable {
  /// What values can ask their decoder for.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// A decoder without user info.
  public init() {}

  /// The value of a document.
  ///
  /// - Throws: `DecodingError`, or what the value's own `init(from:)` throws.
  public func decode<T: Decodable>(
    _ type: T.Type, from body: [UInt8], format: BodyFormat = .messagePack
  ) throws -> T {
    if ObjectIdentifier(type) == ObjectIdentifier(Document.self) {
      return unsafe unsafeBitCast(try document(body, format: format), to: T.self)
    }
    let state = DecodingState(try messagePack(body, format: format), userInfo: userInfo)
    return try state.decode(type, at: 0, nesting: DecodingNesting())
  }

  /// The value of a document that is a part of the bytes.
  package func decode<T: Decodable>(
    _ type: T.Type, from bytes: [UInt8], in range: Range<Int>, format: BodyFormat
  ) throws -> T {
    guard format == .messagePack, ObjectIdentifier(type) != ObjectIdentifier(Document.self) else {
      return try decode(type, from: Array(bytes[range]), format: format)
    }
    let state = DecodingState(bytes, range: range, userInfo: userInfo)
    return try state.decode(type, at: range.lowerBound, nesting: DecodingNesting())
  }

  /// What decodes from a value on its own.
  package func decode<T: Decodable>(_ type: T.Type, from value: DocumentValue) throws -> T {
    var writer = MessagePackWriter()
    try writer.write(value)
    let state = DecodingState(writer.bytes(), userInfo: userInfo)
    return try state.decode(type, at: 0, nesting: DecodingNesting())
  }

  private func document(_ body: [UInt8], format: BodyFormat) throws -> Document {
    do throws(FormatError) { return try Document(bytes: body, format: format) } catch {
      throw corrupted("The bytes are not a document: \(error).")
    }
  }

  private func messagePack(_ body: [UInt8], format: BodyFormat) throws -> [UInt8] {
    do throws(FormatError) { return try format.messagePack(body) } catch {
      throw corrupted("The text is not a document: \(error).")
    }
  }

  private func corrupted(_ reason: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: reason))
  }
}
