/// File names for names that may be any string.
///
/// Without a key, a name is escaped so that it stays readable:
///
///     letter of a–z, digit, "-", "_"    itself
///     letter of A–Z                     "+" and the small letter
///     any other byte of its UTF-8       "%" and two small hexadecimal digits
///     the empty name                    "%"
///
/// An escape over 100 bytes is cut to at most 60, and "~" and the SHA-256 of the name follow. With
/// a key, the file name is "h" and an HMAC of the scope and the name, cut to 16 bytes.
///
/// Invariants, on any file system, also one that folds case or normalises Unicode:
/// - Distinct names have distinct file names, of at most 125 bytes.
/// - A file name has no capital letter, no dot and no byte beyond ASCII, so that a name with a dot
///   in it is never that of a collection.
package struct Names: Sendable {
  /// Bytes of a name, as UTF-8.
  package static let nameSizeLimit = 64 << 10

  /// Bytes of an escape that is used whole.
  static let escapeSizeLimit = 100

  /// Bytes of a longer escape that stay in front of the hash.
  static let prefixSizeLimit = 60

  /// What a name belongs to: equal names in two scopes do not show that they are equal.
  package enum Scope: Sendable {
    case collection
    case shard(collectionID: [UInt8])
    case peer

    fileprivate var label: [UInt8] {
      switch self {
      case .collection: Array("collection".utf8) + [0]
      case .shard(let collectionID): Array("shard".utf8) + [0] + collectionID
      case .peer: Array("peer".utf8) + [0]
      }
    }
  }

  private let key: SecretKey?

  /// - Parameter key: Hides the names; `nil` where the database is not encrypted.
  package init(key: SecretKey?) { self.key = key }

  package func fileName(for name: String, in scope: Scope) -> String {
    fileName(for: Array(name.utf8), in: scope)
  }

  package func fileName(for name: [UInt8], in scope: Scope) -> String {
    guard let key else { return Self.escaped(name) }
    let code = HMACSHA256.code(for: scope.label + name, key: key)
    return "h" + Self.hexadecimal(code.prefix(16))
  }

  static func escaped(_ name: [UInt8]) -> String {
    if name.isEmpty { return "%" }
    var escape: [UInt8] = []
    var prefixSize = 0
    for byte in name {
      if escape.count <= prefixSizeLimit { prefixSize = escape.count }
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        escape.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        escape += [UInt8(ascii: "+"), byte | 0x20]
      default:
        escape += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    guard escape.count > escapeSizeLimit else { return String(decoding: escape, as: UTF8.self) }
    let prefix = String(decoding: escape.prefix(prefixSize), as: UTF8.self)
    return prefix + "~" + hexadecimal(SHA256.hash(name)[...])
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
