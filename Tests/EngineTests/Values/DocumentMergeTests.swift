import NyaruEngine
import TestSupport
import Testing

@Suite struct DocumentMergeTests {
  private func patch(
    _ text: String, _ changes: [(FieldPath, DocumentValue)], removing: [FieldPath] = []
  ) throws -> String {
    let document = try Document(json: text)
    let patched = try DocumentMerge.patch(
      document.bytes, format: .messagePack, changes: changes, removing: removing)
    let ofText = try DocumentMerge.patch(
      Array(text.utf8), format: .json, changes: changes, removing: removing)
    let result = try Document(bytes: patched, format: .messagePack).json()
    #expect(String(decoding: ofText, as: UTF8.self) == result)
    return result
  }

  @Test func `a patch sets what it names and keeps the rest`() throws {
    let text = #"{"id":1,"a":{"b":[1,{"c":2}],"d":3},"e":"x"}"#
    #expect(try patch(text, [("e", 5)]) == #"{"id":1,"a":{"b":[1,{"c":2}],"d":3},"e":5}"#)
    #expect(
      try patch(text, [("a.b.1.c", "new"), ("a.d", .null)])
        == #"{"id":1,"a":{"b":[1,{"c":"new"}],"d":null},"e":"x"}"#)
    #expect(
      try patch(text, [("a.f.g", 1), ("h.i", [1]), ("a.f.j", 2)])
        == #"{"id":1,"a":{"b":[1,{"c":2}],"d":3,"f":{"g":1,"j":2}},"e":"x","h":{"i":[1]}}"#)
    #expect(try patch(text, []) == text)
  }

  @Test func `a patch removes what it names, if it is there`() throws {
    let text = #"{"id":1,"a":{"b":1,"c":2},"d":3}"#
    #expect(try patch(text, [], removing: ["a.b", "d", "x.y"]) == #"{"id":1,"a":{"c":2}}"#)
    #expect(try patch(text, [], removing: ["a"]) == #"{"id":1,"d":3}"#)
  }

  @Test(arguments: ["id.x", "list.5", "list.x", "list.0.y"])
  func `a path through what is no map is refused`(path: String) throws {
    let text = #"{"id":1,"list":[1,2]}"#
    #expect(throws: FormatError.self) { try patch(text, [(FieldPath(path), 1)]) }
    #expect(try patch(text, [], removing: [FieldPath(path)]) == text)
    #expect(throws: FormatError.self) { try patch(text, [], removing: ["list.0"]) }
  }

  @Test func `a map grows beyond the count that fits its header`() throws {
    var text = try Document(json: "{}").json()
    for index in 0..<40 { text = try patch(text, [(FieldPath("k\(index)"), .integer(1))]) }
    for index in 0..<39 { text = try patch(text, [], removing: [FieldPath("k\(index)")]) }
    #expect(text == #"{"k39":1}"#)
  }

  @Test func `a patch cannot make a document deeper than the limit`() throws {
    let limit = DocumentLimits.depth
    let deepest = FieldPath(components: Array(repeating: "a", count: limit))
    _ = try patch("{}", [(deepest, 1)])
    #expect(throws: FormatError.tooDeep) { try patch("{}", [(deepest, [])]) }
    let beyond = FieldPath(components: Array(repeating: "a", count: limit + 1))
    #expect(throws: FormatError.tooDeep) {
      try DocumentMerge.patch([0x80], format: .messagePack, changes: [(beyond, 1)])
    }
  }

  @Test(arguments: 0..<20)
  func `a patch is what setting the fields of the values would be`(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<50 {
      var map = random.map()
      let (key, value) = (random.string(), random.value(depth: 2))
      let body = try messagePack(.map(map))
      let patched = try DocumentMerge.patch(
        body, format: .messagePack, changes: [(FieldPath(components: [key]), value)])
      map[key] = value
      #expect(patched == (try messagePack(.map(map))))
    }
  }

  private struct User: Codable {
    var id: Int
    var name: String?
  }

  @Test func `fields that a type does not know survive its update`() throws {
    func update(_ old: String, _ new: User) throws -> String {
      let document = try Document(json: old)
      let body = try DocumentEncoder().encode(new)
      let merged = try DocumentMerge.keepingUnknownFields(
        new: body, newFormat: .messagePack, old: document.bytes, oldFormat: .messagePack,
        as: User.self)
      let other = try DocumentMerge.keepingUnknownFields(
        new: try DocumentEncoder().encode(new, format: .json), newFormat: .json,
        old: Array(old.utf8), oldFormat: .json, as: User.self)
      let result = try Document(bytes: merged, format: .messagePack).json()
      #expect(String(decoding: other, as: UTF8.self) == result)
      return result
    }
    let old = #"{"extra":{"a":[1]},"id":1,"name":"Ana","more":18446744073709551615}"#
    #expect(
      try update(old, User(id: 1, name: "Bea"))
        == #"{"id":1,"name":"Bea","extra":{"a":[1]},"more":18446744073709551615}"#)
    #expect(
      try update(old, User(id: 1)) == #"{"id":1,"extra":{"a":[1]},"more":18446744073709551615}"#)
    #expect(try update(#"{"id":1,"name":"Ana"}"#, User(id: 1)) == #"{"id":1}"#)
    #expect(try update(#"{"id":1}"#, User(id: 1, name: "x")) == #"{"id":1,"name":"x"}"#)
  }
}
