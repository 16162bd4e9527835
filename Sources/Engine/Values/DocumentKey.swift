/// A key or index of a document, as what `Codable` asks for.
package struct DocumentKey: CodingKey, Equatable {
  package let stringValue: String
  package let intValue: Int?

  package init(stringValue: String) {
    self.stringValue = stringValue
    intValue = Int(stringValue)
  }

  package init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  /// The key under which a superclass encodes when no other is given.
  package static let superclass = DocumentKey(stringValue: "super")
}
