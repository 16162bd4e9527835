/// The encoded bytes of a document, as they are stored.
package struct DocumentBody: Sendable {
  /// Bytes that hold the document, and where in them it lies.
  private let storage: [UInt8]
  private let range: Range<Int>

  package let format: BodyFormat

  package init(bytes: [UInt8], format: BodyFormat) {
    storage = bytes
    range = bytes.indices
    self.format = format
  }

  /// The document that is seen in a record.
  init(_ record: StoredRecord) {
    (storage, range) = record.bodyInPlace
    format = record.layout.format
  }

  /// The encoded bytes alone.
  package var bytes: [UInt8] {
    range.count == storage.count ? storage : Array(storage[range])
  }

  /// The document as a type; an untyped document is checked throughout.
  package func decoded<T: Decodable>(as type: T.Type) throws(NyaruError) -> T {
    try NyaruError.coding {
      try DocumentDecoder().decode(type, from: storage, in: range, format: format)
    }
  }

  func matches(_ filter: CompiledFilter?) throws(NyaruError) -> Bool {
    guard let filter else { return true }
    return try NyaruError.format { () throws(FormatError) in
      try filter.matches(bytes, format: format)
    }
  }
}
