/// Finds fields in encoded documents without decoding what lies before them.
package enum FieldReader {
  /// The value at a path, or `nil` if the document has no such field.
  package static func value(
    at path: FieldPath, in body: [UInt8], format: BodyFormat
  ) throws(FormatError) -> DocumentValue? {
    throw .unsupported("thin")
  }
}
