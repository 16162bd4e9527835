import Foundation
import NyaruEngine
import Testing

@Suite struct DocumentEncoderTests {
  private typealias Key = Samples.AnyKey

  /// What our encoder and Foundation's make of the same calls.
  private func expectSameAsFoundation(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping (any Encoder) throws -> Void
  ) throws {
    let value = Samples.Custom(body: body)
    let theirs = try Document(json: [UInt8](try JSONEncoder().encode(value)))
    let ours = try Document(
      bytes: try DocumentEncoder().encode(value), format: .messagePack)
    #expect(ours == theirs, sourceLocation: sourceLocation)
  }

  @Test func `fields are written in the order in which they come`() throws {
    struct User: Codable {
      var id = "u1"
      var age = 5
      var tags = ["a", "b"]
    }
    let body = try DocumentEncoder().encode(User())
    #expect(
      hex(body)
        == "83 a2 69 64 a2 75 31 a3 61 67 65 05 a4 74 61 67 73 92 a1 61 a1 62")
    let text = try DocumentEncoder().encode(User(), format: .json)
    #expect(String(decoding: text, as: UTF8.self) == #"{"id":"u1","age":5,"tags":["a","b"]}"#)
  }

  @Test func `nested containers can be written in any order`() throws {
    try expectSameAsFoundation { encoder in
      var root = encoder.container(keyedBy: Key.self)
      var first = root.nestedContainer(keyedBy: Key.self, forKey: "first")
      var second = root.nestedUnkeyedContainer(forKey: "second")
      try root.encode(1, forKey: "before")
      try second.encode("a")
      try first.encode(2, forKey: "x")
      var inner = second.nestedContainer(keyedBy: Key.self)
      var list = second.nestedUnkeyedContainer()
      try first.encode([3, 4], forKey: "y")
      for index in 0..<40 { try inner.encode(index, forKey: Key(stringValue: "k\(index)")) }
      try list.encodeNil()
      try list.encode(true)
      try second.encode("b")
      try root.encode(5, forKey: "behind")
      try inner.encode(["deep": [1.5]], forKey: "z")
    }
  }

  @Test func `containers at one level share their map or array`() throws {
    try expectSameAsFoundation { encoder in
      var first = encoder.container(keyedBy: Key.self)
      try first.encode(1, forKey: "a")
      var second = encoder.container(keyedBy: Key.self)
      try second.encode(2, forKey: "b")
      try first.encode(3, forKey: "c")
      var list = second.nestedUnkeyedContainer(forKey: "list")
      try list.encode(
        Samples.Custom { encoder in
          var first = encoder.unkeyedContainer()
          try first.encode(1)
          var second = encoder.unkeyedContainer()
          try second.encode(2)
          try first.encode(3)
          #expect(first.count == 3 && second.count == 3)
        })
    }
  }

  @Test func `super encoders write where they were made, whenever they are used`() throws {
    try expectSameAsFoundation { encoder in
      var root = encoder.container(keyedBy: Key.self)
      let first = root.superEncoder()
      let second = root.superEncoder(forKey: "other")
      _ = root.superEncoder(forKey: "unused")
      try root.encode(1, forKey: "a")
      var list = root.nestedUnkeyedContainer(forKey: "list")
      let third = list.superEncoder()
      try list.encode(2)
      var container = second.container(keyedBy: Key.self)
      try container.encode(3, forKey: "b")
      var single = first.singleValueContainer()
      try single.encode(["x": 1])
      var unkeyed = third.unkeyedContainer()
      try unkeyed.encode("y")
    }
  }

  @Test func `of a key that is encoded twice the last value counts`() throws {
    try expectSameAsFoundation { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: "a")
      try container.encode(["long": "value"], forKey: "b")
      try container.encode(2, forKey: "a")
      try container.encodeNil(forKey: "b")
      try container.encode(3, forKey: "c")
    }
    try expectSameAsFoundation { encoder in
      var container = encoder.container(keyedBy: Key.self)
      for round in 0..<2 {
        for index in 0..<100 { try container.encode(round, forKey: Key(stringValue: "\(index)")) }
      }
    }
  }

  @Test func `a nested container for a key that has one goes on with it`() throws {
    try expectSameAsFoundation { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var first = container.nestedContainer(keyedBy: Key.self, forKey: "a")
      try first.encode(1, forKey: "x")
      var second = container.nestedContainer(keyedBy: Key.self, forKey: "a")
      try second.encode(2, forKey: "y")
      var list = container.nestedUnkeyedContainer(forKey: "b")
      try list.encode(1)
      var again = container.nestedUnkeyedContainer(forKey: "b")
      try again.encode(2)
    }
  }

  @Test func `what encodes nothing is an empty map where it stands`() throws {
    struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
    try expectSameAsFoundation { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(Nothing(), forKey: "a")
      try container.encode([Nothing(), Nothing()], forKey: "b")
      _ = container.nestedUnkeyedContainer(forKey: "c")
      _ = container.nestedContainer(keyedBy: Key.self, forKey: "d")
    }
  }

  @Test func `what throws and is caught leaves no trace`() throws {
    struct Failure: Error {}
    let failing = Samples.Custom { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: "x")
      var nested = container.nestedContainer(keyedBy: Key.self, forKey: "nested")
      try nested.encode(1, forKey: "y")
      throw Failure()
    }
    let value = Samples.Custom { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: "a")
      #expect(throws: Failure.self) { try container.encode(failing, forKey: "b") }
      #expect(throws: Failure.self) { try container.encode([[failing]], forKey: "b") }
      var list = container.nestedUnkeyedContainer(forKey: "c")
      try list.encode(1)
      #expect(throws: Failure.self) { try list.encode(failing) }
      try list.encode(2)
    }
    let body = try DocumentEncoder().encode(value)
    #expect(try Document(bytes: body, format: .messagePack).json() == #"{"a":1,"c":[1,2]}"#)
  }

  @Test(arguments: [1, 2, 3])
  func `what is not a map is no document`(kind: Int) {
    #expect(throws: EncodingError.self) {
      switch kind {
      case 1: try DocumentEncoder().encode([1])
      case 2: try DocumentEncoder().encode("a")
      default: try DocumentEncoder().encode(Int?.none)
      }
    }
  }

  @Test func `a document passes through unchanged`() throws {
    let text = Array(#"{ "a" : 1e0 }"#.utf8)
    let document = try Document(bytes: text, format: .json)
    #expect(try DocumentEncoder().encode(document, format: .json) == text)
    #expect(try DocumentDecoder().decode(Document.self, from: text, format: .json).bytes == text)
    let other = try DocumentEncoder().encode(document)
    #expect(try Document(bytes: other, format: .messagePack) == document)
  }

  @Test func `a document works with the coders of Foundation, too`() throws {
    let document = try Document(json: #"{"a":[1,-1.5,null,true,"x",{}],"b":18446744073709551615}"#)
    let data = try JSONEncoder().encode(document)
    #expect(try JSONDecoder().decode(Document.self, from: data) == document)
  }

  @Test func `levels up to the limit encode, and not one more`() throws {
    let limit = DocumentLimits.depth
    let body = try DocumentEncoder().encode(Samples.Node.chain(limit))
    let node = try DocumentDecoder().decode(Samples.Node.self, from: body)
    #expect(node.next?.next != nil)
    #expect(throws: EncodingError.self) {
      try DocumentEncoder().encode(Samples.Node.chain(limit + 1))
    }
    let cycle = Samples.Node(next: nil)
    cycle.next = cycle
    #expect(throws: EncodingError.self) { try DocumentEncoder().encode(cycle) }
    cycle.next = nil
  }

  @Test func `misuse is an error instead of a trap`() throws {
    typealias Body = (any Encoder) throws -> Void
    final class Leak { var container: KeyedEncodingContainer<Key>? }
    let leak = Leak()
    let misuses: [Body] = [
      { encoder in
        _ = encoder.container(keyedBy: Key.self)
        _ = encoder.unkeyedContainer()
      },
      { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(["a": 1])
        try container.encode(["a": 1])
      },
      { encoder in
        var container = encoder.container(keyedBy: Key.self)
        var copy = container
        try container.encode(
          Samples.Custom { _ in try copy.encode(1, forKey: "inside") }, forKey: "a")
      },
      { encoder in
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(
          Samples.Custom { leak.container = $0.container(keyedBy: Key.self) }, forKey: "a")
        try leak.container?.encode(1, forKey: "late")
      },
      { encoder in
        var container = encoder.container(keyedBy: Key.self)
        var nested: KeyedEncodingContainer<Key>?
        try container.encode(
          Samples.Custom { encoder in
            var inner = encoder.container(keyedBy: Key.self)
            nested = inner.nestedContainer(keyedBy: Key.self, forKey: "x")
          }, forKey: "a")
        try nested?.encode(1, forKey: "late")
      },
    ]
    for misuse in misuses {
      #expect(throws: EncodingError.self) {
        try DocumentEncoder().encode(Samples.Custom(body: misuse))
      }
    }
    #expect(throws: EncodingError.self) { try leak.container?.encode(1, forKey: "later") }
  }

  @Test func `the coding path names where encoding is`() throws {
    var paths: [String] = []
    func note(_ path: [any CodingKey]) {
      paths.append(path.map(\.stringValue).joined(separator: "/"))
    }
    let inner = Samples.Custom { encoder in
      note(encoder.codingPath)
      var container = encoder.unkeyedContainer()
      try container.encode(1)
      try container.encode(
        Samples.Custom { encoder in
          note(encoder.codingPath)
          var container = encoder.container(keyedBy: Key.self)
          let nested = container.nestedContainer(keyedBy: Key.self, forKey: "n")
          note(nested.codingPath)
          note(container.superEncoder().codingPath)
        })
      note(container.codingPath)
    }
    _ = try DocumentEncoder().encode(
      Samples.Custom { encoder in
        note(encoder.codingPath)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(0, forKey: "z")
        try container.encode(inner, forKey: "a")
      })
    #expect(paths == ["", "a", "a/1", "a/1/n", "a/1/super", "a"])
  }

  @Test func `user info reaches the types`() throws {
    let key = try #require(CodingUserInfoKey(rawValue: "key"))
    var encoder = DocumentEncoder()
    encoder.userInfo[key] = 5
    _ = try encoder.encode(
      Samples.Custom { encoder in
        #expect(encoder.userInfo[key] as? Int == 5)
        var container = encoder.container(keyedBy: Key.self)
        #expect(container.superEncoder().userInfo[key] as? Int == 5)
      })
  }
}
