import NyaruEngine
import TestSupport

/// Makes values of all kinds, among them those at which codecs and orders go wrong.
struct RandomValues {
  static let integers: [Int64] = [
    0, 1, -1, 31, 32, -32, -33, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769,
    65535, 65536, 1 << 31, -(1 << 31), -(1 << 31) - 1, 1 << 32, 1 << 53, (1 << 53) + 1,
    -(1 << 53) - 1, (1 << 54) + 2, (1 << 62) + 1, .max - 1, .max, .min, .min + 1,
  ]
  static let unsigned: [UInt64] = [
    1 << 63, (1 << 63) + 1, (1 << 63) + 1024, (1 << 63) + 2048, .max - 1, .max,
  ]
  static let doubles: [Double] = [
    0, -0.0, 1, -1, 0.1, 1.5, -2.5, 1e-300, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 1e22,
    1e23, 9007199254740992,
    9007199254740994, 9.223372036854775e18, 9.223372036854776e18, 1.8446744073709552e19,
    -9.223372036854776e18, .greatestFiniteMagnitude, .leastNormalMagnitude, .infinity,
    -.infinity, .nan, 760_000_000.123456,
  ]
  static let strings = [
    "", "a", "a\0", "a\0b", "b", "é", "e\u{301}", "Å", "ÿ", "\u{FFFF}", "😀", "\u{7F}", "\u{1F}",
    "\"\\/\n\r\t\u{8}\u{C}", "1", "$binary", String(repeating: "x", count: 31),
    String(repeating: "y", count: 32), String(repeating: "z", count: 300),
  ]
  static let binaries: [[UInt8]] = [[], [0], [0, 0], [0, 255], [255], [1, 2, 3]]

  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func value(depth: Int = 3) -> DocumentValue {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 8), using: &generator) {
    case 0: .null
    case 1: .bool(Bool.random(using: &generator))
    case 2: .integer(integer())
    case 3: DocumentValue(unsigned: unsigned())
    case 4: .double(double())
    case 5, 6: .string(string())
    case 7: .binary(Self.binaries.randomElement(using: &generator) ?? [])
    case 8:
      .array((0..<Int.random(in: 0..<4, using: &generator)).map { _ in value(depth: depth - 1) })
    default: .map(map(depth: depth - 1))
    }
  }

  mutating func map(depth: Int = 3) -> DocumentMap {
    let count = Int.random(in: 0..<4, using: &generator)
    return DocumentMap((0..<count).map { _ in (string(), value(depth: depth)) })
  }

  mutating func integer() -> Int64 {
    if Bool.random(using: &generator) {
      return Self.integers.randomElement(using: &generator) ?? 0
    }
    let bits = UInt64.random(in: 0..<64, using: &generator)
    return Int64.random(in: .min ... .max, using: &generator) >> bits
  }

  mutating func unsigned() -> UInt64 {
    Bool.random(using: &generator)
      ? Self.unsigned.randomElement(using: &generator) ?? 0
      : UInt64.random(in: 0 ... .max, using: &generator)
  }

  mutating func double() -> Double {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: Self.doubles.randomElement(using: &generator) ?? 0
    case 1: Double(integer())
    case 2: Double(unsigned()).nextUp
    default: Double(bitPattern: UInt64.random(in: 0 ... .max, using: &generator))
    }
  }

  mutating func string() -> String {
    (Self.strings.randomElement(using: &generator) ?? "")
      + (Bool.random(using: &generator)
        ? "" : Self.strings.randomElement(using: &generator) ?? "")
  }
}

extension DocumentValue {
  /// Whether both are the same case with the same bits, not only equal in order.
  func isIdentical(to other: DocumentValue) -> Bool {
    switch (self, other) {
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.integer, .integer), (.unsigned, .unsigned): self == other
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
    case (.map(let left), .map(let right)):
      left.count == right.count
        && zip(left.entries, right.entries).allSatisfy {
          $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.isIdentical(to: $1.value)
        }
    default: kind == other.kind && kind != .number && self == other
    }
  }
}

/// Bytes as hexadecimal digits in groups, as in the tables of the format.
func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
}

/// The MessagePack of a value.
func messagePack(_ value: DocumentValue) throws -> [UInt8] {
  var writer = MessagePackWriter()
  try writer.write(value)
  return writer.bytes()
}

/// The JSON text of a value.
func json(_ value: DocumentValue) throws -> String {
  let bytes = try messagePack(value)
  return String(decoding: try JSONText.write(messagePack: bytes.span), as: UTF8.self)
}

/// The value of a JSON text.
func parse(_ text: String) throws -> DocumentValue {
  let bytes = try JSONText.messagePack(from: Array(text.utf8).span)
  var reader = MessagePackReader(bytes.span)
  return try reader.readValue()
}
