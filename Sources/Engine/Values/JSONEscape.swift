import FoundationEssentials

/// What JSON has no word for, as objects of one key.
///
///     {"$binary": base64}                                  bytes
///     {"$double": "NaN" | "Infinity" | "-Infinity"}        a double that is no number
///     {"$double": "0x" and 16 hexadecimal digits}          a NaN with other bits
///
/// A map that looks like one of these is written with one more `$` before its key, and an object
/// with `$$binary` or `$$double` loses one `$` when it is read. So text and values correspond one
/// to one. The document itself is never read or written in this way.
package enum JSONEscape {
  private static let dollar = UInt8(ascii: "$")

  /// What an object of one key stands for.
  package enum Meaning: Equatable {
    case binary([UInt8])
    case double(Double)

    /// A map that has one `$` less in its key.
    case map
  }

  /// What an object with this key and this string stands for, if not for itself.
  package static func meaning(key: [UInt8], text: [UInt8]) -> Meaning? {
    guard let special = special(key: key, text: text) else { return nil }
    return key.starts(with: [dollar, dollar]) ? .map : special
  }

  /// Whether a map with this key and this string needs one `$` more in its key.
  package static func isAmbiguous(key: [UInt8], text: [UInt8]) -> Bool {
    special(key: key, text: text) != nil
  }

  private static func special(key: [UInt8], text: [UInt8]) -> Meaning? {
    guard key.first == dollar else { return nil }
    switch String(decoding: key.drop { $0 == dollar }, as: UTF8.self) {
    case "binary": return bytes(ofBase64: text).map(Meaning.binary)
    case "double": return double(String(decoding: text, as: UTF8.self)).map(Meaning.double)
    default: return nil
    }
  }

  /// The bytes, if the text is exactly what they are written as.
  private static func bytes(ofBase64 text: [UInt8]) -> [UInt8]? {
    guard let data = Data(base64Encoded: Data(text)),
      data.base64EncodedData().elementsEqual(text)
    else { return nil }
    return Array(data)
  }

  /// The double, if the text is exactly what it is written as.
  private static func double(_ text: String) -> Double? {
    switch text {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    default:
      guard text.hasPrefix("0x"), let bits = UInt64(text.dropFirst(2), radix: 16) else {
        return nil
      }
      let double = Double(bitPattern: bits)
      return double.isNaN && self.text(of: double) == text ? double : nil
    }
  }

  /// What is written for a double that is no number.
  package static func text(of double: Double) -> String {
    if double.isInfinite { return double < 0 ? "-Infinity" : "Infinity" }
    if double.bitPattern == Double.nan.bitPattern { return "NaN" }
    let digits = String(double.bitPattern, radix: 16)
    return "0x" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// What is written for bytes.
  package static func text(of bytes: [UInt8]) -> [UInt8] {
    Array(Data(bytes).base64EncodedData())
  }
}
