/// Encodes what is `Encodable` as the bytes of a document.
///
/// Values are written as they come, into one buffer; only nested containers and super encoders
/// that are asked for by hand have buffers of their own. Of a key that is encoded twice, the last
/// value counts. `Date` is a double, `Data` is a binary, `URL` and `UUID` are strings, `Decimal`
/// is a number if one holds it exactly and a string otherwise, and a ``Document`` is what it
/// contains.
public struct DocumentEncoder: Sendable {
  /// What values can ask their encoder for.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// An encoder without user info.
  public init() {}

  /// The document of a value, which must encode as a map.
  ///
  /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws.
  public func encode<T: Encodable>(
    _ value: T, format: BodyFormat = .messagePack
  ) throws -> [UInt8] {
    if let document = document(value), document.format == format { return document.bytes }
    let state = EncodingState(userInfo: userInfo)
    let bytes = try state.encode(value)
    guard bytes[0] & 0xF0 == 0x80 || bytes[0] & 0xFE == 0xDE else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [], debugDescription: "A document encodes as a map."))
    }
    return try format.body(ofMessagePack: bytes)
  }

  /// The value, if its type is that of a document; faster than a cast.
  private func document<T>(_ value: T) -> Document? {
    guard ObjectIdentifier(T.self) == ObjectIdentifier(Document.self) else { return nil }
    return unsafe unsafeBitCast(value, to: Document.self)
  }

  /// The value that something encodes to, which need not be a map.
  package func value(of value: some Encodable) throws -> DocumentValue {
    let bytes = try EncodingState(userInfo: userInfo).encode(value)
    var reader = MessagePackReader(bytes.span)
    return try reader.readValue()
  }
}
