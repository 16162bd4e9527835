import NyaruEngine
import TestSupport
import Testing

@Suite struct FieldReaderTests {
  @Test(arguments: BodyFormat.allCases)
  func `a path leads through maps and arrays`(format: BodyFormat) throws {
    let document: DocumentValue = [
      "skipped": [1, ["x": [.null, "y"]], 2], "a.b": 1, "": 2, "é": 3, "e\u{301}": 4,
      "map": ["list": [10, ["deep": "found"]], "": ["": 5]], "list": [1], "0": "zero",
    ]
    let body = try format.body(ofMessagePack: messagePack(document))
    let expected: [(FieldPath, DocumentValue?)] = [
      (#"a\.b"#, 1), ("a.b", nil), ("", 2), ("é", 3), ("e\u{301}", 4), ("map.list.0", 10),
      ("map.list.1.deep", "found"), ("map.list.2", nil), ("map.list.01", nil), ("map..", 5),
      ("list.0", 1), ("list.0.x", nil), ("list.-1", nil), ("0", "zero"), ("map.list.x", nil),
      ("list.99999999999999999999", nil), ("nothing", nil), ("skipped.1.x.1", "y"),
    ]
    for (path, value) in expected {
      #expect(try FieldReader.value(at: path, in: body, format: format) == value, "\(path)")
    }
  }

  @Test(arguments: 0..<10)
  func `no bytes make it trap`(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<300 {
      var bytes = try messagePack(.map(["a": random.value(), "b": random.value()]))
      let index = Int.random(in: 0..<bytes.count, using: &random.generator)
      bytes[index] = UInt8.random(in: 0...255, using: &random.generator)
      _ = try? FieldReader.value(at: "b", in: bytes, format: .messagePack)
      _ = try? FieldReader.value(at: "b", in: bytes, format: .json)
    }
  }
}
