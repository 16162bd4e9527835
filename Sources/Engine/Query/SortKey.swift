/// A field to sort by.
public struct SortKey: Sendable, Hashable {
  /// The field.
  public var path: FieldPath

  /// Whether small values come first; missing fields are the smallest.
  public var isAscending: Bool

  /// A field to sort by.
  public init(_ path: FieldPath, ascending: Bool = true) {
    self.path = path
    isAscending = ascending
  }
}

/// Turns the sort fields of a document into one key of bytes, compared with memcmp.
package struct SortComparator: Sendable {
  package let keys: [SortKey]

  package init(_ keys: [SortKey]) { self.keys = keys }

  /// The key of a document; equal documents are in the order of their ids.
  package func key(
    of body: [UInt8], format: BodyFormat, idKey: [UInt8]
  ) throws(FormatError) -> [UInt8] {
    throw .unsupported("thin")
  }

  /// Whether a key comes before another.
  package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.lexicographicallyPrecedes(right)
  }
}

/// The first elements of a sequence in the order of their keys, in bounded memory.
package struct TopElements<Element> {
  package let capacity: Int

  package init(capacity: Int) { self.capacity = capacity }

  package mutating func insert(_ element: Element, key: [UInt8]) {}

  /// The elements in order.
  package consuming func sorted() -> [Element] { [] }
}
