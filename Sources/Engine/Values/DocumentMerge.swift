/// Changes to encoded documents that leave the rest of the bytes as they are.
package enum DocumentMerge {
  /// The document with the values set; maps on the way are made where they are missing.
  ///
  /// - Throws: `invalid` if a path leads through something that is not a map.
  package static func patch(
    _ body: [UInt8], format: BodyFormat, changes: [(FieldPath, DocumentValue)],
    removing: [FieldPath] = []
  ) throws(FormatError) -> [UInt8] {
    throw .unsupported("thin")
  }

  /// The new document, with those top-level fields of the old one that its type does not know.
  ///
  /// A field is unknown if the old document, decoded and encoded again, does not have it.
  package static func keepingUnknownFields<T: Codable>(
    new: [UInt8], newFormat: BodyFormat, old: [UInt8], oldFormat: BodyFormat, as type: T.Type
  ) throws -> [UInt8] {
    throw FormatError.unsupported("thin")
  }
}
