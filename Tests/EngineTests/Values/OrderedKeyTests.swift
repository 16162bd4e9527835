import NyaruEngine
import TestSupport
import Testing

@Suite struct OrderedKeyTests {
  @Test(arguments: 0..<20)
  func `keys order as their values do`(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    let values = (0..<60).map { _ in random.value() }
    let keys = try values.map { try OrderedKey.key(of: $0) }
    for (left, leftKey) in zip(values, keys) {
      for (right, rightKey) in zip(values, keys) {
        #expect(leftKey.lexicographicallyPrecedes(rightKey) == (left < right), "\(left) \(right)")
        #expect((leftKey == rightKey) == (left == right), "\(left) \(right)")
        if left == right { #expect(left.hashValue == right.hashValue) }
      }
    }
  }

  @Test(arguments: 0..<20)
  func `a key decodes to a value that equals its own`(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<200 {
      let value = random.value()
      #expect(try OrderedKey.decode(OrderedKey.key(of: value)) == value)
    }
  }

  @Test(arguments: 0..<20)
  func `the key of a field is the key of its value`(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<100 {
      let value = random.value()
      let body = try messagePack(.map(["a": .map(["b": value])]))
      let key = try OrderedKey.key(at: "a.b", in: body, format: .messagePack, limit: .max)
      #expect(key?.bytes == (try OrderedKey.key(of: value)))
      #expect(key?.isTruncated == false)
      let text = try JSONText.write(messagePack: body.span)
      #expect(try OrderedKey.key(at: "a.b", in: text, format: .json, limit: .max) == key)
    }
  }

  @Test func `a long key is cut to the limit and says so`() throws {
    for count in [1022, 1023, 1024, 5000] {
      let value = DocumentValue.string(String(repeating: "x", count: count))
      let body = try messagePack(.map(["a": value]))
      let key = try #require(try OrderedKey.key(at: "a", in: body, format: .messagePack))
      #expect(key.isTruncated == (count > 1023))
      #expect(key.bytes == (try OrderedKey.key(of: value).prefix(1024).map { $0 }))
    }
  }

  @Test func `a field that is missing has no key, and null has one`() throws {
    let body = try messagePack(.map(["a": .null]))
    #expect(try OrderedKey.key(at: "b", in: body, format: .messagePack) == nil)
    #expect(try OrderedKey.key(at: "a.b", in: body, format: .messagePack) == nil)
    #expect(try OrderedKey.key(at: "a", in: body, format: .messagePack)?.bytes == [0x08])
  }

  @Test func `ids that differ in type have different keys, and equal numbers have one`() throws {
    #expect(try OrderedKey.key(of: 1) != OrderedKey.key(of: "1"))
    #expect(try OrderedKey.key(of: 1) == OrderedKey.key(of: 1.0))
    #expect(try OrderedKey.key(of: 0) == OrderedKey.key(of: .double(-0.0)))
    #expect(try OrderedKey.key(of: "é") != OrderedKey.key(of: "e\u{301}"))
  }

  @Test(arguments: 0..<20)
  func `no bytes make decoding trap, and what decodes encodes to the same bytes`(
    seed: UInt64
  ) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<500 {
      var bytes = try OrderedKey.key(of: random.value())
      if let index = bytes.indices.randomElement(using: &random.generator) {
        switch Int.random(in: 0..<3, using: &random.generator) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random.generator)
        case 1: bytes.removeSubrange(index...)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random.generator), at: index)
        }
      }
      guard let value = try? OrderedKey.decode(bytes) else { continue }
      #expect(try OrderedKey.key(of: value) == bytes, "\(hex(bytes)) \(value)")
    }
  }

  @Test func `values beyond the limit of levels have no key`() throws {
    var value = DocumentValue.array([])
    for _ in 1..<DocumentLimits.depth { value = .array([value]) }
    let key = try OrderedKey.key(of: value)
    #expect(try OrderedKey.decode(key) == value)
    #expect(throws: FormatError.tooDeep) { try OrderedKey.key(of: .array([value])) }
    #expect(throws: FormatError.tooDeep) { try OrderedKey.decode([0x30] + key + [0x00]) }
  }
}
