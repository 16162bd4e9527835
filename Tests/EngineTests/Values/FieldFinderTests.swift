import NyaruEngine
import Testing

struct FieldFinderTests {
  private let document: DocumentValue = [
    "id": "a", "city": "Berlin", "age": 31, "tags": ["x", "y"], "address": ["city": "Bonn"],
  ]

  private func bytes(_ value: DocumentValue) throws -> [UInt8] {
    var writer = MessagePackWriter()
    try writer.write(value)
    return writer.bytes()
  }

  @Test func `all fields are found in one pass, whatever their order`() throws {
    let paths = ["age", "missing", "id", "tags", "city", "id"].map { FieldPath($0) }
    let finder = try #require(FieldFinder(paths))
    let bytes = try bytes(document)
    let offsets = try finder.offsets(in: bytes.span)
    for (number, path) in paths.enumerated() {
      let expected = try FieldReader.value(at: path, in: bytes, format: .messagePack)
      var found: DocumentValue?
      if offsets[number] >= 0 {
        var reader = MessagePackReader(bytes.span, at: offsets[number])
        found = try reader.readValue()
      }
      #expect(found == expected)
    }
  }

  @Test func `nested fields and too many fields are left to others`() {
    #expect(FieldFinder([FieldPath("id"), FieldPath("address.city")]) == nil)
    let many = (0...FieldFinder.fieldLimit).map { FieldPath(components: ["field\($0)"]) }
    #expect(FieldFinder(many) == nil)
    #expect(FieldFinder(Array(many.dropLast())) != nil)
  }

  @Test func `no cut makes it trap`() throws {
    let finder = try #require(FieldFinder([FieldPath("id"), FieldPath("missing")]))
    let bytes = try bytes(document)
    for size in 0..<bytes.count {
      #expect(throws: FormatError.self) {
        try finder.offsets(in: bytes.span.extracting(0..<size))
      }
    }
  }
}
