/// Encodes what is `Encodable` as the bytes of a document.
package struct DocumentEncoder: Sendable {
  package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  package init() {}

  /// The document of a value, which must encode as a map.
  ///
  /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws.
  package func encode(
    _ value: some Encodable, format: BodyFormat = .messagePack
  ) throws -> [UInt8] {
    throw FormatError.unsupported("thin")
  }

  /// The value that something encodes to, which need not be a map.
  package func value(of value: some Encodable) throws -> DocumentValue {
    throw FormatError.unsupported("thin")
  }
}
