import NyaruEngine
import TestSupport
import Testing

@Suite struct JSONTextTests {
  @Test(arguments: 0..<30)
  func `every value comes back from its text with the same bits`(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<100 {
      let value = DocumentValue.map(random.map())
      let text = try json(value)
      #expect(try parse(text).isIdentical(to: value), "\(text)")
    }
  }

  @Test(arguments: [
    #"{"a":1,"b":-1,"c":18446744073709551615,"d":-9223372036854775808,"e":9223372036854775808}"#,
    #"{"a":1.0,"b":-0.0,"c":0.1,"d":5e-324,"e":1.7976931348623157e+308,"f":1e+16}"#,
    #"{"a":[],"b":{},"c":[[],{}],"d":null,"e":true,"f":false,"":""}"#,
    #"{"a":"é😀\"\\\n\r\t\b\f\u0000\u001f/"}"#,
    #"{"z":1,"a":2,"m":{"z":1,"a":2}}"#,
    #"{"a":{"$binary":"AAEC"},"b":{"$double":"NaN"},"c":{"$double":"-Infinity"}}"#,
    #"{"a":{"$$binary":"AAEC"},"b":{"$$$double":"NaN"},"c":{"$binary":"AAE"}}"#,
    #"{"a":{"$binary":"AAEC","b":1},"c":{"$binary":1},"d":{"$x":""},"e":{"$double":"1"}}"#,
    #"{"$binary":"AAEC"}"#, #"{"a":{"$double":"0x7ff8000000000001"}}"#,
    #"[1,"a",null]"#, #""a""#, "1", "null",
  ])
  func `text in its shortest form comes back as it was`(text: String) throws {
    let bytes = try JSONText.messagePack(from: Array(text.utf8).span)
    #expect(String(decoding: try JSONText.write(messagePack: bytes.span), as: UTF8.self) == text)
  }

  @Test(
    arguments: [
      ("-0", -0.0), ("1e2", 100), ("1E-2", 0.01),
      ("123456789012345678901234567890e-29", 1.2345678901234567),
      ("0.30000000000000004", 0.30000000000000004), ("9007199254740993.0", 9007199254740992),
      ("100000000000000000000", 1e20), ("18446744073709551616", 18446744073709551616.0),
      ("123456789012345680000", 1.2345678901234568e20),
      ("2.5e-308", Double("2.5e-308") ?? 0), ("1e-400", 0), ("0e999999999999", 0),
    ] as [(String, Double)])
  func `a number that is no integer is the nearest double`(text: String, double: Double) throws {
    #expect(try parse(text).isIdentical(to: .double(double)))
  }

  @Test func `numbers of 64 bits stay integers`() throws {
    #expect(try parse("9223372036854775807").isIdentical(to: .integer(.max)))
    #expect(try parse("9223372036854775808").isIdentical(to: .unsigned(1 << 63)))
    #expect(try parse("-9223372036854775808").isIdentical(to: .integer(.min)))
    #expect(try parse("0").isIdentical(to: .integer(0)))
  }

  @Test func `escapes and surrogate pairs are read`() throws {
    #expect(try parse(#""\u00e9\ud83d\ude00\/\u0041""#) == "é😀/A")
  }

  @Test(arguments: [
    (#"{"a":1,"a":2}"#, 7), (#"{"a":1,"\u0061":2}"#, 7), (#"{"a":{"b":1,"b":2}}"#, 12),
    ("", 0), (" ", 1), ("{", 1), (#"{"a""#, 4), (#"{"a":}"#, 5), (#"{"a":1,}"#, 7), ("[1,]", 3),
    ("[1 2]", 3), ("{a:1}", 1), ("tru", 0), ("nul", 0), ("01", 1), ("1.", 2), (".5", 0), ("1e", 2),
    ("+1", 0), ("-", 1), ("NaN", 0), ("1 2", 2), (#""a"#, 2), (#""\x""#, 1), (#""\u12g4""#, 5),
    (#""\ud800""#, 1), (#""\ud800\u0041""#, 1), (#""\udc00""#, 1), ("\"\u{1}\"", 1), ("\"\n\"", 1),
    ("1e400", 0), ("18446744073709551617", 0), ("-9223372036854775809", 0), ("\u{FEFF}1", 0),
    ("'a'", 0), ("[1,2", 4), ("{}x", 2),
  ])
  func `what is wrong is an error with its place`(text: String, offset: Int) throws {
    let error = #expect(throws: JSONError.self) { try parse(text) }
    #expect(error?.offset == offset, "\(error.map { "\($0)" } ?? "")")
  }

  @Test(arguments: [
    [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22],
    [0x22, 0xED, 0xA0, 0x80, 0x22],
    [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
  ])
  func `bytes that are not UTF-8 are an error with their place`(bytes: [UInt8]) {
    let error = #expect(throws: JSONError.self) { try JSONText.messagePack(from: bytes.span) }
    #expect(error?.offset == 1)
  }

  @Test func `levels beyond the limit are an error in both directions`() throws {
    let limit = DocumentLimits.depth
    let deepest = String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
    #expect(try json(parse(deepest)) == deepest)
    #expect(throws: JSONError.self) { try parse("[\(deepest)]") }
    let bytes = [UInt8](repeating: 0x91, count: limit) + [0x90]
    #expect(throws: FormatError.tooDeep) { try JSONText.write(messagePack: bytes.span) }
  }

  @Test func `a key that occurs twice is found among many`() throws {
    let keys = (0..<1000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    #expect(try json(parse("{\(keys)}")) == "{\(keys)}")
    let error = #expect(throws: JSONError.self) { try parse("{\(keys),\"k7\":1}") }
    #expect(error?.offset == keys.utf8.count + 2)
  }

  @Test(arguments: 0..<10)
  func `no bytes make reading or writing trap`(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<300 {
      var text = Array(try json(random.value()).utf8)
      var bytes = try messagePack(random.value())
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random.generator)
      text[Int.random(in: 0..<text.count, using: &random.generator)] ^= bit
      bytes[Int.random(in: 0..<bytes.count, using: &random.generator)] ^= bit
      if let read = try? JSONText.messagePack(from: text.span) {
        let again = try JSONText.write(messagePack: read.span)
        #expect(try JSONText.messagePack(from: again.span) == read)
      }
      _ = try? JSONText.write(messagePack: bytes.span)
    }
  }
}
