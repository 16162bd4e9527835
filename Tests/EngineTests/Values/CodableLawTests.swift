import Foundation
import NyaruEngine
import Testing

@Suite struct CodableLawTests {
  /// The law: what was encoded decodes to what it was, in both formats, and so it does on the
  /// way through Foundation's own coders where they can take it.
  private func expectRoundTrip<Value: Codable & Equatable>(
    _ value: Value, foundation: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for format in BodyFormat.allCases {
      let body = try DocumentEncoder().encode(Box(value: value), format: format)
      let bytes = try format.messagePack(body)
      try MessagePackReader.validateDocument(bytes.span)
      let decoded = try DocumentDecoder().decode(Box<Value>.self, from: body, format: format)
      #expect(decoded.value == value, sourceLocation: sourceLocation)
      if format == .json, foundation {
        let ours = try JSONDecoder().decode(Box<Value>.self, from: Data(body))
        #expect(ours.value == value, "Foundation reads it", sourceLocation: sourceLocation)
      }
    }
    guard foundation else { return }
    let theirs = [UInt8](try JSONEncoder().encode(Box(value: value)))
    let decoded = try DocumentDecoder().decode(Box<Value>.self, from: theirs, format: .json)
    #expect(decoded.value == value, "Foundation wrote it", sourceLocation: sourceLocation)
  }

  @Test func `numbers keep their value to the last bit`() throws {
    try expectRoundTrip(Samples.Numbers())
    for double in RandomValues.doubles {
      for format in BodyFormat.allCases {
        let body = try DocumentEncoder().encode(Box(value: double), format: format)
        let decoded = try DocumentDecoder().decode(Box<Double>.self, from: body, format: format)
        #expect(decoded.value.bitPattern == double.bitPattern, "\(double)")
      }
    }
    for integer in RandomValues.integers { try expectRoundTrip(integer) }
    for integer in RandomValues.unsigned { try expectRoundTrip(integer) }
    for float: Float in [0, -0.0, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
      try expectRoundTrip(float)
    }
    try expectRoundTrip(Float.infinity, foundation: false)
  }

  @Test func `strings keep their bytes`() throws {
    for string in RandomValues.strings {
      for format in BodyFormat.allCases {
        let body = try DocumentEncoder().encode([string: string], format: format)
        let decoded = try DocumentDecoder().decode(
          [String: String].self, from: body, format: format)
        #expect(decoded.first.map { Array($0.key.utf8) } == Array(string.utf8))
        #expect(decoded.first.map { Array($0.value.utf8) } == Array(string.utf8))
      }
    }
  }

  @Test func `optionals of all depths come back`() throws {
    try expectRoundTrip(Samples.Optionals())
    try expectRoundTrip(
      Samples.Optionals(
        int: 1, string: "", double: -0.0, bool: false, float: 1, int64: .min,
        date: Date(timeIntervalSinceReferenceDate: 0.1), inner: .init(value: nil), nested: 5,
        list: [1, nil, 3], map: ["a": 1, "b": nil]))
    try expectRoundTrip([Samples.Optionals.Inner(value: 1), nil])
    try expectRoundTrip(Optional<Int>.none)
  }

  @Test func `enums with payloads come back`() throws {
    let payloads: [Samples.Payload] = [
      .none, .one(1), .named(x: 1, y: nil), .named(x: 2, y: "b"),
      .tree(left: .tree(left: .none, right: .one(1)), right: .named(x: 1, y: "c")),
    ]
    for payload in payloads { try expectRoundTrip(payload) }
    try expectRoundTrip(payloads)
  }

  @Test func `dictionaries with keys of all kinds come back`() throws {
    try expectRoundTrip(Samples.Dictionaries())
    try expectRoundTrip(
      Samples.Dictionaries(
        strings: ["": 1, "a.b": 2, "😀": 3, "é": 4, "e\u{301}x": 5, "\"\\": 6],
        integers: [.min: "a", 0: "b", .max: "c"], uuids: [UUID(): 1, UUID(): 2],
        enums: [.red: 1, .green: 2], nested: ["a": ["b": [1, 2], "c": []], "d": [:]]))
  }

  @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 33, 300, 70_000])
  func `maps and arrays of any count come back`(count: Int) throws {
    let map = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key\($0)", $0) })
    try expectRoundTrip(map, foundation: count < 1000)
    try expectRoundTrip((0..<count).map { "\($0)" }, foundation: count < 1000)
    try expectRoundTrip((0..<count).map { [$0: $0] }, foundation: count < 1000)
  }

  @Test func `arrays of all kinds come back`() throws {
    try expectRoundTrip(Samples.Bytes(), foundation: false)
    try expectRoundTrip([[[[]]], [[]], []] as [[[[Int]]]])
    try expectRoundTrip([Bool]())
  }

  @Test func `the types of Foundation come back`() throws {
    let decimals =
      [
        "0", "1", "-1.5", "19.99", "0.1", "9223372036854775807", "18446744073709551615",
        "12345678901234567890.123456789", "1e30", "-1e-30", "0.30000000000000004", "NaN",
      ].compactMap { Decimal(string: $0) } + [.nan]
    try expectRoundTrip(Samples.FoundationTypes(decimals: decimals), foundation: false)
    try expectRoundTrip(Samples.FoundationTypes().uuid)
    try expectRoundTrip(Samples.FoundationTypes().url)
    for date in [Date.now, .distantPast, .distantFuture] { try expectRoundTrip(date) }
  }

  @Test func `documents and values inside of types come back`() throws {
    struct Holder: Codable, Equatable {
      var value: DocumentValue
      var map: DocumentMap
      var document: Document
      var list: [DocumentValue]
    }
    let document = try Document(json: #"{"x":[-0.0]}"#)
    let holder = Holder(
      value: .binary([1, 2]), map: ["a": [1, .null]], document: document,
      list: [.unsigned(.max), "a", true])
    try expectRoundTrip(holder, foundation: false)
    for seed in 0..<20 {
      var random = RandomValues(seed: UInt64(seed))
      try expectRoundTrip(random.value(), foundation: false)
    }
  }

  @Test func `superclasses come back, beside their subclass or in it`() throws {
    for format in BodyFormat.allCases {
      var body = try DocumentEncoder().encode(Samples.Dog(name: "Rex", age: 3), format: format)
      let dog = try DocumentDecoder().decode(Samples.Dog.self, from: body, format: format)
      #expect(dog.name == "Rex")
      #expect(dog.age == 3)
      #expect(try FieldReader.value(at: "super.name", in: body, format: format) == "Rex")

      body = try DocumentEncoder().encode(Samples.Cat(name: "Tom", lives: 9), format: format)
      let cat = try DocumentDecoder().decode(Samples.Cat.self, from: body, format: format)
      #expect(cat.name == "Tom")
      #expect(cat.lives == 9)
      #expect(try FieldReader.value(at: "name", in: body, format: format) == "Tom")
    }
  }

  @Test func `a known type has the form that queries use`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 1.5)
    let uuid = UUID()
    let url = try #require(URL(string: "https://example.com"))
    let decimal = try #require(Decimal(string: "19.99"))
    let encoder = DocumentEncoder()
    #expect(try encoder.value(of: date) == date.documentValue)
    #expect(try encoder.value(of: uuid) == uuid.documentValue)
    #expect(try encoder.value(of: url) == url.documentValue)
    #expect(try encoder.value(of: decimal) == 19.99)
    #expect(try encoder.value(of: Data([1])) == .binary([1]))
    #expect(try encoder.value(of: [date]) == [date].documentValue)
    #expect(try encoder.value(of: Optional(date)) == date.documentValue)
    #expect(try encoder.value(of: Float(0.1)) == Float(0.1).documentValue)
    #expect(try encoder.value(of: UInt64.max) == UInt64.max.documentValue)
  }
}
