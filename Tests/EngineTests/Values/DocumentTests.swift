import NyaruEngine
import Testing

@Suite struct DocumentTests {
  @Test func `a document keeps its text and knows its fields`() throws {
    let text = #"{"id":18446744073709551615,"name":"Ana","address":{"city":"Recife"},"x":-0.0}"#
    let document = try Document(json: text)
    #expect(document.json() == text)
    #expect(document["address.city"] == "Recife")
    #expect(document["id"] == .unsigned(.max))
    #expect(document["nothing"] == nil)
    #expect(document.fields.count == 4)
  }

  @Test(arguments: ["[]", "1", "null", "\"a\"", "", "{\"a\":1,\"a\":1}"])
  func `what is not one object is refused`(text: String) {
    #expect(throws: JSONError.self) { try Document(json: text) }
  }

  @Test func `documents are equal whatever their order and format`() throws {
    let one = try Document(json: #"{"a":1,"b":[1,2]}"#)
    let other = try Document(bytes: Array(#"{ "b": [1.0, 2], "a": 1 }"#.utf8), format: .json)
    #expect(one == other)
    #expect(other["b.0"] == 1)
    #expect(try one != Document(json: #"{"a":1,"b":[2,1]}"#))
  }

  @Test func `bytes that are no document are refused in both formats`() {
    #expect(throws: FormatError.self) { try Document(bytes: [0x81, 0xA1], format: .messagePack) }
    #expect(throws: FormatError.self) { try Document(bytes: [0x5B, 0x5D], format: .json) }
  }
}
