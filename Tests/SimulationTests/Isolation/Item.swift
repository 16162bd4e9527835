import NyaruEngine

/// A small document with a partition, an indexed number and a text of any size.
struct Item: Codable, Sendable, Equatable {
  var id: Int
  var group: String
  var number: Int
  var text: String

  init(_ id: Int, _ number: Int, size: Int = 20) {
    self.id = id
    group = "g\(id % 3)"
    self.number = number
    text = String(repeating: "x", count: size)
  }

  static let options = CollectionOptions(partitionKey: "group", indexedFields: ["number"])
}

extension Sequence<Item> {
  var byID: [Item] { sorted { $0.id < $1.id } }
}
