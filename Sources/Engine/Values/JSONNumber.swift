/// Reads one JSON number.
struct JSONNumber: ~Escapable {
  private let text: Span<UInt8>
  private let start: Int

  /// Bytes from the start to the next read.
  private(set) var offset: Int

  /// The digits as an integer, as long as 64 bits hold it.
  private var digits: UInt64 = 0
  private var isExact = true
  private var fractionCount = 0
  private var exponent = 0
  private var isInteger = true

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, at offset: Int) {
    self.text = text
    self.offset = offset
    start = offset
  }

  mutating func parse(into writer: inout MessagePackWriter) throws(JSONError) {
    let isNegative = read(UInt8(ascii: "-"))
    if read(UInt8(ascii: "0")) {
      if let byte = peek, Self.isDigit(byte) { throw error("a number that starts with zero") }
    } else {
      _ = try readDigits { $0.append($1) }
    }
    if read(UInt8(ascii: ".")) {
      isInteger = false
      fractionCount = try readDigits { $0.append($1) }
    }
    if read(UInt8(ascii: "e")) || read(UInt8(ascii: "E")) {
      isInteger = false
      let isBelow = read(UInt8(ascii: "-"))
      if !isBelow { _ = read(UInt8(ascii: "+")) }
      _ = try readDigits { $0.exponent = min($0.exponent * 10 + Int($1), 100_000) }
      if isBelow { exponent.negate() }
    }
    if isInteger, isExact, write(isNegative: isNegative, into: &writer) { return }
    writer.write(try double(isNegative: isNegative))
  }

  /// Writes an integer of 64 bits, if it is one; -0 is none.
  private func write(isNegative: Bool, into writer: inout MessagePackWriter) -> Bool {
    guard isNegative else {
      writer.write(digits)
      return true
    }
    guard digits != 0, digits <= Int64.min.magnitude else { return false }
    writer.write(Int64(truncatingIfNeeded: 0 &- digits))
    return true
  }

  private func double(isNegative: Bool) throws(JSONError) -> Double {
    let scale = exponent - fractionCount
    // Both factors are exact, so one rounding gives the nearest double (Clinger 1990).
    if isExact, digits <= 1 << 53, abs(scale) <= 22 {
      let magnitude = Double(digits)
      let power = Self.powersOfTen[abs(scale)]
      let double = scale < 0 ? magnitude / power : magnitude * power
      return isNegative ? -double : double
    }
    let characters = String(decoding: (start..<offset).map { text[$0] }, as: UTF8.self)
    guard let double = Double(characters), double.isFinite else {
      throw JSONError(offset: start, reason: "a number that is too large")
    }
    if isInteger, !Self.isKept(characters, by: double) {
      throw JSONError(
        offset: start, reason: "an integer that neither 64 bits nor a double can hold")
    }
    return double
  }

  /// Whether a double says the same as an integer: it has that very value, or the integer has the
  /// digits of the shortest text for it, which is how JavaScript writes large doubles.
  private static func isKept(_ integer: String, by double: Double) -> Bool {
    Int128(integer).map { $0 == Int128(exactly: double) } ?? false
      || significand(integer) == significand("\(double)")
  }

  /// The digits of a number without sign, point, exponent and the zeros at both ends.
  private static func significand(_ number: String) -> Substring {
    let digits = number.prefix { $0 != "e" }.filter { $0 != "-" && $0 != "." }
    let end = digits.lastIndex { $0 != "0" }.map(digits.index(after:)) ?? digits.startIndex
    return digits[..<end].drop { $0 == "0" }
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  private mutating func append(_ digit: UInt8) {
    let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
    if overflow || carry { isExact = false }
    digits = sum
  }

  /// Reads one or more digits.
  private mutating func readDigits(
    _ use: (inout JSONNumber, UInt8) -> Void
  ) throws(JSONError) -> Int {
    let first = offset
    while let byte = peek, Self.isDigit(byte) {
      use(&self, byte - UInt8(ascii: "0"))
      offset += 1
    }
    guard offset > first else { throw error("expected a digit") }
    return offset - first
  }

  private mutating func read(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    offset += 1
    return true
  }

  private var peek: UInt8? { offset < text.count ? text[offset] : nil }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private func error(_ reason: String) -> JSONError { JSONError(offset: offset, reason: reason) }
}
