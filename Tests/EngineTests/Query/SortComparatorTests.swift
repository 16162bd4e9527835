import NyaruEngine
import TestSupport
import Testing

@Suite struct SortComparatorTests {
  @Test(arguments: 0..<20)
  func `documents sort by their fields, in both directions, and then by id`(seed: UInt64) throws {
    var random = RandomFilters(seed: seed)
    let sortKeys = [SortKey("a"), SortKey("b", ascending: false), SortKey("a.x")]
    let comparator = SortComparator(sortKeys)
    let documents = (0..<40).map { (id: UInt8($0), fields: random.document()) }
    for left in documents {
      for right in documents {
        let keys = try [left, right].map { document in
          let body = try messagePack(.map(document.fields))
          let text = try JSONText.write(messagePack: body.span)
          let key = try comparator.key(of: body, format: .messagePack, idKey: [document.id])
          #expect(try comparator.key(of: text, format: .json, idKey: [document.id]) == key)
          return key
        }
        var expected = left.id < right.id
        for key in sortKeys.reversed() {
          let fields = [left, right].map { FilterModel.field(key.path, $0.fields) }
          if fields[0] == fields[1] { continue }
          let isBefore =
            if let one = fields[0], let other = fields[1] { one < other } else { fields[0] == nil }
          expected = isBefore == key.isAscending
        }
        #expect(keys[0].lexicographicallyPrecedes(keys[1]) == expected)
      }
    }
  }
}
