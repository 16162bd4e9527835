import NyaruEngine
import TestSupport
import Testing

@Suite struct NumberKeyTests {
  /// An exact number as an integer part and the sign of what lies behind the point.
  private static func order(_ value: DocumentValue) -> (Int, Double, Int128, Double) {
    switch value {
    case .integer(let value): (1, 0, Int128(value), 0)
    case .unsigned(let value): (1, 0, Int128(value), 0)
    case .double(let value):
      value.isNaN
        ? (0, 0, 0, 0)
        : abs(value) < 1e30
          ? (1, 0, Int128(value.rounded(.down)), value - value.rounded(.down)) : (1, value, 0, 0)
    default: (0, 0, 0, 0)
    }
  }

  private static var numbers: [DocumentValue] {
    RandomValues.integers.map(DocumentValue.integer)
      + RandomValues.unsigned.map(DocumentValue.unsigned)
      + RandomValues.doubles.map(DocumentValue.double)
      + RandomValues.integers.flatMap { [Double($0).nextUp, Double($0), Double($0).nextDown] }
      .map(DocumentValue.double)
      + RandomValues.unsigned.flatMap { [Double($0).nextUp, Double($0), Double($0).nextDown] }
      .map(DocumentValue.double)
  }

  @Test func `integers and doubles compare as exact numbers, and their bytes do, too`() throws {
    let numbers = Self.numbers.map { ($0, NumberKey($0)) }
    for (left, leftKey) in numbers {
      for (right, rightKey) in numbers {
        let leftKey = try #require(leftKey)
        let rightKey = try #require(rightKey)
        let (leftOrder, rightOrder) = (Self.order(left), Self.order(right))
        #expect((leftKey < rightKey) == (leftOrder < rightOrder), "\(left) < \(right)")
        #expect((leftKey == rightKey) == (leftOrder == rightOrder), "\(left) == \(right)")
        var bytes: ([UInt8], [UInt8]) = ([], [])
        leftKey.encode(into: &bytes.0)
        rightKey.encode(into: &bytes.1)
        #expect(bytes.0.lexicographicallyPrecedes(bytes.1) == (leftKey < rightKey))
      }
    }
  }

  @Test func `the bytes of a number give back a number that equals it`() throws {
    for number in Self.numbers {
      let key = try #require(NumberKey(number))
      var bytes: [UInt8] = []
      key.encode(into: &bytes)
      #expect(bytes.count <= 11)
      let decoded = try NumberKey.decode(bytes[...] + [0xFF])
      #expect(decoded.key == key)
      #expect(decoded.size == bytes.count)
      #expect(decoded.key.value == number)
    }
  }

  @Test(arguments: [
    [], [0x81], [0x81, 0x00], [UInt8](repeating: 0xFF, count: 12),
    [UInt8](repeating: 0x81, count: 11),
  ])
  func `bytes that no number has throw`(bytes: [UInt8]) {
    #expect(throws: FormatError.self) {
      let (key, _) = try NumberKey.decode(bytes[...])
      if key.value == nil { throw FormatError.invalid("a number") }
    }
  }
}
