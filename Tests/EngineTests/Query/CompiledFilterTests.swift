import NyaruEngine
import TestSupport
import Testing

@Suite struct CompiledFilterTests {
  @Test(arguments: 0..<40)
  func `a filter on bytes means what it means on values`(seed: UInt64) throws {
    var random = RandomFilters(seed: seed)
    for _ in 0..<30 {
      let documents = (0..<10).map { _ in random.document() }
      let filter = random.filter()
      let compiled = CompiledFilter(filter)
      for document in documents {
        let body = try messagePack(.map(document))
        let expected = FilterModel.matches(filter, document)
        #expect(
          try compiled.matches(body, format: .messagePack) == expected, "\(filter) \(document)")
        let text = try JSONText.write(messagePack: body.span)
        #expect(try compiled.matches(text, format: .json) == expected)
      }
    }
  }

  @Test(arguments: 0..<40)
  func `every document that matches lies in the ranges of its keys`(seed: UInt64) throws {
    var random = RandomFilters(seed: seed)
    for _ in 0..<100 {
      let filter = random.filter()
      let compiled = CompiledFilter(filter)
      for path in ["a", "a.x"] as [FieldPath] {
        guard let ranges = compiled.keyRanges(for: path) else { continue }
        for (range, next) in zip(ranges, ranges.dropFirst()) {
          let upper = try #require(range.upper)
          #expect(upper.lexicographicallyPrecedes(next.lower), "sorted and apart")
        }
        for _ in 0..<10 {
          let body = try messagePack(.map(random.document()))
          guard try compiled.matches(body, format: .messagePack) else { continue }
          let key = try OrderedKey.key(at: path, in: body, format: .messagePack)
          let bytes = try #require(key?.bytes, "\(filter) matches where \(path) is missing")
          #expect(ranges.contains { $0.contains(bytes) }, "\(filter)")
        }
      }
    }
  }

  @Test func `ranges are no wider than the comparison`() throws {
    func ranges(_ filter: Filter) -> [KeyRange]? { CompiledFilter(filter).keyRanges(for: "a") }
    let (one, two) = (try OrderedKey.key(of: 1), try OrderedKey.key(of: 2))
    #expect(ranges(.equal("a", 1)) == [.exactly(one)])
    #expect(ranges(.lessThan("a", 1)) == [KeyRange(from: [0x18], to: one)])
    #expect(ranges(.lessThanOrEqual("a", 1)) == [KeyRange(from: [0x18], to: one + [0])])
    #expect(ranges(.greaterThan("a", 1)) == [KeyRange(from: one + [0], to: [0x19])])
    #expect(ranges(.greaterThanOrEqual("a", 1)) == [KeyRange(from: one, to: [0x19])])
    #expect(ranges(.between("a", 1, 2)) == [KeyRange(from: one, to: two + [0])])
    #expect(ranges(.between("a", 2, 1)) == [])
    #expect(ranges(.between("a", 1, "x")) == [])
    #expect(ranges(.isIn("a", [2, 1, 1])) == [.exactly(one), .exactly(two)])
    #expect(ranges(.startsWith("a", "x")) == [KeyRange(from: [0x20, 0x78], to: [0x20, 0x79])])
    #expect(ranges(.like("a", "x%y")) == ranges(.startsWith("a", "x")))
    #expect(ranges(.glob("a", "x[yz]")) == ranges(.startsWith("a", "x")))
    #expect(
      ranges(.and([.equal("b", 1), .greaterThan("a", 1), .lessThan("a", 2)]))
        == [KeyRange(from: one + [0], to: two)])
    #expect(ranges(.or([.equal("a", 2), .equal("a", 1)])) == [.exactly(one), .exactly(two)])
    #expect(ranges(.or([.equal("a", 2), .equal("b", 1)])) == nil)
    #expect(ranges(.not(.equal("a", 1))) == nil)
    #expect(ranges(.or([])) == [])
    #expect(ranges(.and([])) == nil)
  }

  @Test func `keys that an index cut are not lost`() throws {
    let long = String(repeating: "x", count: 2000)
    let values = [long, long + "a", String(long.dropLast(990)), String(long.dropLast(977)) + "y"]
    for value in values {
      for filter: Filter in [
        .equal("a", value), .lessThan("a", value), .lessThanOrEqual("a", value),
        .greaterThan("a", value), .greaterThanOrEqual("a", value), .startsWith("a", value),
      ] {
        let compiled = CompiledFilter(filter)
        let ranges = try #require(compiled.keyRanges(for: "a"))
        for other in values {
          let body = try messagePack(["a": .string(other)])
          guard try compiled.matches(body, format: .messagePack) else { continue }
          let key = try #require(try OrderedKey.key(at: "a", in: body, format: .messagePack))
          #expect(ranges.contains { $0.contains(key.bytes) })
        }
      }
    }
  }

  @Test func `a comparison never leaves the kind of its value`() throws {
    let values: [DocumentValue] = [.null, false, true, 1, "a", .binary([1]), [1], ["x": 1]]
    for value in values {
      let body = try messagePack(["a": value])
      for other in values where other.kind != value.kind {
        for filter: Filter in [
          .lessThan("a", other), .lessThanOrEqual("a", other), .greaterThan("a", other),
          .greaterThanOrEqual("a", other), .equal("a", other), .between("a", other, other),
        ] {
          #expect(try !CompiledFilter(filter).matches(body, format: .messagePack))
        }
        let filter = Filter.notEqual("a", other)
        #expect(try CompiledFilter(filter).matches(body, format: .messagePack))
      }
    }
  }

  @Test(arguments: 0..<10)
  func `no bytes make it trap`(seed: UInt64) throws {
    var random = RandomFilters(seed: seed)
    for _ in 0..<300 {
      var body = try messagePack(.map(random.document()))
      let index = Int.random(in: 0..<body.count, using: &random.random.generator)
      body[index] = UInt8.random(in: 0...255, using: &random.random.generator)
      _ = try? CompiledFilter(random.filter()).matches(body, format: .messagePack)
    }
  }
}

extension KeyRange {
  fileprivate func contains(_ key: [UInt8]) -> Bool {
    !key.lexicographicallyPrecedes(lower)
      && (upper.map { key.lexicographicallyPrecedes($0) } ?? true)
  }
}
