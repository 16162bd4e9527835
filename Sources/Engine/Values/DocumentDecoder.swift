/// Decodes what is `Decodable` from the bytes of a document.
package struct DocumentDecoder: Sendable {
  package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  package init() {}

  /// The value of a document.
  ///
  /// - Throws: `DecodingError`, or what the value's own `init(from:)` throws.
  package func decode<T: Decodable>(
    _ type: T.Type, from body: [UInt8], format: BodyFormat = .messagePack
  ) throws -> T {
    throw FormatError.unsupported("thin")
  }

  /// What decodes from a value on its own.
  package func decode<T: Decodable>(_ type: T.Type, from value: DocumentValue) throws -> T {
    throw FormatError.unsupported("thin")
  }
}
