/// The encoded bytes of a document, as they are stored.
package struct DocumentBody: Sendable {
  package let bytes: [UInt8]
  package let format: BodyFormat

  package init(bytes: [UInt8], format: BodyFormat) {
    self.bytes = bytes
    self.format = format
  }

  /// The document that is seen in a record.
  init(_ record: StoredRecord) {
    self.init(bytes: Array(record.body), format: record.layout.format)
  }

  /// The document as a type; an untyped document is checked throughout.
  package func decoded<T: Decodable>(as type: T.Type) throws(NyaruError) -> T {
    try NyaruError.coding {
      try DocumentDecoder().decode(type, from: bytes, format: format)
    }
  }

  func matches(_ filter: CompiledFilter?) throws(NyaruError) -> Bool {
    guard let filter else { return true }
    return try NyaruError.format { () throws(FormatError) in
      try filter.matches(bytes, format: format)
    }
  }
}
