import Foundation
import NyaruEngine
import TestSupport
import Testing

@Suite struct DocumentDecoderTests {
  private typealias Key = Samples.AnyKey

  private func probe(_ text: String) throws -> any Decoder {
    let document = try Document(json: text)
    return try DocumentDecoder().decode(Samples.Probe.self, from: document.bytes).decoder
  }

  @Test func `keys are found in any order, again and again`() throws {
    let keys = (0..<20).map { "key\($0)" }
    let text = "{" + keys.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + "}"
    let container = try probe(text).container(keyedBy: Key.self)
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<10 {
      for key in keys.shuffled(using: &generator) {
        let key = Key(stringValue: key)
        if Bool.random(using: &generator) { #expect(container.contains(key)) }
        #expect(try container.decode(String.self, forKey: key) == key.stringValue)
        #expect(!container.contains("missing"))
      }
    }
    #expect(container.allKeys.map(\.stringValue) == keys)
  }

  @Test func `two containers of one value do not disturb each other`() throws {
    let decoder = try probe(#"{"a":1,"b":{"c":[1,2,3]},"d":4}"#)
    let first = try decoder.container(keyedBy: Key.self)
    let second = try decoder.container(keyedBy: Key.self)
    #expect(try first.decode(Int.self, forKey: "d") == 4)
    #expect(try second.decode(Int.self, forKey: "a") == 1)
    let nested = try first.nestedContainer(keyedBy: Key.self, forKey: "b")
    var list = try nested.nestedUnkeyedContainer(forKey: "c")
    #expect(try list.decode(Int.self) == 1)
    #expect(try first.decode(Int.self, forKey: "a") == 1)
    #expect(try list.decode(Int.self) == 2)
    var copy = list
    #expect(try copy.decode(Int.self) == 3)
    #expect(try list.decode(Int.self) == 3)
    #expect(list.isAtEnd)
    #expect(try second.decode(Int.self, forKey: "d") == 4)
  }

  @Test func `an array is read element by element, and not beyond its end`() throws {
    let root = try probe(#"{"a":[1,null,"x",[2],{"k":3},{"s":4},null]}"#)
    var list = try root.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: "a")
    #expect(list.count == 7)
    #expect(try !list.decodeNil())
    #expect(throws: DecodingError.self) { try list.decode(String.self) }
    #expect(try list.decode(Int.self) == 1)
    #expect(try list.decodeNil())
    #expect(try list.decodeIfPresent(String.self) == "x")
    var inner = try list.nestedUnkeyedContainer()
    #expect(try inner.decode(Int.self) == 2)
    let map = try list.nestedContainer(keyedBy: Key.self)
    #expect(try map.decode(Int.self, forKey: "k") == 3)
    let parent = try list.superDecoder().container(keyedBy: Key.self)
    #expect(try parent.decode(Int.self, forKey: "s") == 4)
    #expect(list.currentIndex == 6)
    #expect(try list.decodeIfPresent(Int.self) == nil)
    #expect(list.isAtEnd)
    #expect(throws: DecodingError.self) { try list.decode(Int.self) }
    #expect(throws: DecodingError.self) { try list.decodeNil() }
    #expect(throws: DecodingError.self) { try list.superDecoder() }
  }

  private struct Inner: Decodable { var value: Int }
  private struct Outer: Decodable { var list: [Inner] }

  private func expectError(
    _ text: String, _ path: String, _ kind: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let document = try Document(json: text)
    let error = #expect(throws: DecodingError.self, sourceLocation: sourceLocation) {
      try DocumentDecoder().decode(Outer.self, from: document.bytes)
    }
    let found = error.flatMap(Self.context)
    #expect(found?.0 == kind, sourceLocation: sourceLocation)
    let keys = found?.1.codingPath.map(\.stringValue).joined(separator: "/")
    #expect(keys == path, sourceLocation: sourceLocation)
  }

  @Test func `errors name the path and what is wrong`() throws {
    try expectError(#"{"list":[{"value":1},{"value":"x"}]}"#, "list/1/value", "mismatch")
    try expectError(#"{"list":[{"value":null}]}"#, "list/0/value", "null")
    try expectError(#"{"list":[{"value":1},{"x":1}]}"#, "list/1", "missing")
    try expectError(#"{"list":[{"value":1.5}]}"#, "list/0/value", "corrupted")
    try expectError(#"{"list":{"value":1}}"#, "list", "mismatch")
    try expectError(#"{}"#, "", "missing")
  }

  private static func context(of error: DecodingError) -> (String, DecodingError.Context)? {
    switch error {
    case .typeMismatch(_, let context): ("mismatch", context)
    case .valueNotFound(_, let context): ("null", context)
    case .keyNotFound(_, let context): ("missing", context)
    case .dataCorrupted(let context): ("corrupted", context)
    @unknown default: nil
    }
  }

  @Test func `numbers convert where nothing is lost`() throws {
    let root = try probe(#"{"a":3.0,"b":3.5,"c":300,"d":-1,"e":18446744073709551615,"f":1e300}"#)
    let container = try root.container(keyedBy: Key.self)
    #expect(try container.decode(Int.self, forKey: "a") == 3)
    #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: "b") }
    #expect(throws: DecodingError.self) { try container.decode(UInt8.self, forKey: "c") }
    #expect(throws: DecodingError.self) { try container.decode(UInt64.self, forKey: "d") }
    #expect(throws: DecodingError.self) { try container.decode(Int64.self, forKey: "e") }
    #expect(try container.decode(UInt64.self, forKey: "e") == .max)
    #expect(throws: DecodingError.self) { try container.decode(Float.self, forKey: "f") }
    #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: "f") }
    #expect(try container.decode(Double.self, forKey: "c") == 300)
    #expect(throws: DecodingError.self) { try container.decode(Bool.self, forKey: "c") }
    #expect(throws: DecodingError.self) { try container.decode(String.self, forKey: "c") }
  }

  @Test func `null and missing are told apart where they differ`() throws {
    let container = try probe(#"{"a":null,"b":1}"#).container(keyedBy: Key.self)
    #expect(container.contains("a"))
    #expect(!container.contains("c"))
    #expect(try container.decodeNil(forKey: "a"))
    #expect(try !container.decodeNil(forKey: "b"))
    #expect(throws: DecodingError.self) { try container.decodeNil(forKey: "c") }
    #expect(try container.decodeIfPresent(Int.self, forKey: "a") == nil)
    #expect(try container.decodeIfPresent(Int.self, forKey: "c") == nil)
    #expect(try container.decodeIfPresent(Int.self, forKey: "b") == 1)
    #expect(try container.superDecoder(forKey: "c").singleValueContainer().decodeNil())
    #expect(try container.superDecoder().codingPath.map(\.stringValue) == ["super"])
  }

  @Test func `the decoder outlives the call that made it`() throws {
    let decoder = try probe(#"{"a":{"b":[1,2]}}"#)
    let container = try decoder.container(keyedBy: Key.self)
    let nested = try container.nestedContainer(keyedBy: Key.self, forKey: "a")
    #expect(try nested.decode([Int].self, forKey: "b") == [1, 2])
    #expect(nested.codingPath.map(\.stringValue) == ["a"])
    let list = try nested.nestedUnkeyedContainer(forKey: "b")
    #expect(list.codingPath.map(\.stringValue) == ["a", "b"])
  }

  @Test(arguments: 0..<20)
  func `whatever the bytes are, decoding throws or returns`(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    let decimals = [1.5, 3].compactMap { Decimal($0) }
    let bodies = [
      try DocumentEncoder().encode(Samples.FoundationTypes(decimals: decimals)),
      try DocumentEncoder().encode(Samples.Optionals(inner: .init(value: 1), list: [1, nil])),
      try DocumentEncoder().encode(["a": random.value()]),
      try DocumentEncoder().encode(Box(value: Samples.Payload.tree(left: .none, right: .one(1)))),
    ]
    for body in bodies {
      for _ in 0..<200 {
        var bytes = body
        let index = Int.random(in: 0..<bytes.count, using: &random.generator)
        if Bool.random(using: &random.generator) {
          bytes[index] = UInt8.random(in: 0...255, using: &random.generator)
        } else {
          bytes.removeSubrange(index...)
        }
        let decoder = DocumentDecoder()
        _ = try? decoder.decode(Samples.FoundationTypes.self, from: bytes)
        _ = try? decoder.decode(Samples.Optionals.self, from: bytes)
        _ = try? decoder.decode([String: DocumentValue].self, from: bytes)
        _ = try? decoder.decode(Box<Samples.Payload>.self, from: bytes)
        _ = try? decoder.decode(Document.self, from: bytes)
      }
    }
  }

  @Test func `levels beyond the limit throw`() throws {
    let deep = (0..<200).reduce("null") { text, _ in "{\"next\":\(text)}" }
    var body: [UInt8] = []
    for _ in 0..<200 { body += [0x81, 0xA4, 0x6E, 0x65, 0x78, 0x74] }
    body.append(0xC0)
    #expect(throws: DecodingError.self) {
      try DocumentDecoder().decode(Samples.Node.self, from: body)
    }
    #expect(throws: DecodingError.self) {
      try DocumentDecoder().decode(Samples.Node.self, from: Array(deep.utf8), format: .json)
    }
  }

  @Test func `a type that decodes itself from its own place throws instead of going on forever`() {
    struct Loop: Decodable {
      init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer().decode(Loop.self)
      }
    }
    #expect(throws: DecodingError.self) {
      try DocumentDecoder().decode(Loop.self, from: [0x80])
    }
  }
}
