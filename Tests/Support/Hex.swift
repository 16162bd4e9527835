/// Bytes as hexadecimal text, and back.
package enum Hex {
  package static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text; white space does not count, and an odd digit stops the test.
  package static func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.isWhitespace ? nil : $0.hexDigitValue }
    precondition(digits.count.isMultiple(of: 2), "two digits make a byte")
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }
}
