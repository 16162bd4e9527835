import NyaruEngine
import TestSupport
import Testing

@Suite struct TopElementsTests {
  @Test(arguments: [0, 1, 2, 7, 100, 1000])
  func `it keeps what a full sort would put first`(capacity: Int) {
    var generator = SeededGenerator(seed: UInt64(capacity))
    var top = TopElements<Int>(capacity: capacity)
    var all: [(key: [UInt8], number: Int)] = []
    for number in 0..<500 {
      let key = (0..<2).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let unique = key + [UInt8(number / 256), UInt8(number % 256)]
      top.insert(number, key: unique)
      all.append((unique, number))
      #expect(top.count <= capacity)
    }
    all.sort { $0.key.lexicographicallyPrecedes($1.key) }
    #expect(top.sorted() == all.prefix(capacity).map(\.number))
  }
}
