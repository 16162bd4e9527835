/// The text form of a key or token: `nyaru-vault1-…`.
///
///     text     := "nyaru-" kind "1-" base32(secret: u8[32], checksum: u8[4])
///     checksum := first 4 bytes of SHA-256("nyaru-" kind "1-", secret)
///
/// Base 32 is RFC 4648's, in small letters and without padding. The kind is part of the checksum,
/// so that one kind cannot be taken for another, and a typing error is found.
package enum KeyText {
  /// What the secret opens.
  package enum Kind: String, CaseIterable, Sendable {
    /// The key that the replicas of a vault share.
    case vault

    /// The key that encrypts one database on its disk.
    case key

    /// What a client shows to an endpoint.
    case token

    var prefix: String { "nyaru-\(rawValue)1-" }

    /// The kind in the words of an error text.
    package var noun: String {
      switch self {
      case .vault: "vault key"
      case .key: "database key"
      case .token: "access token"
      }
    }
  }

  /// Why a text is not what was asked for.
  package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    case notAKey(expected: Kind)
    case wrongKind(found: Kind, expected: Kind)
    case damaged(Kind)

    package var description: String {
      switch self {
      case .notAKey(let expected):
        "this is not a \(expected.noun): it should begin with \(expected.prefix)"
      case .wrongKind(let found, let expected):
        "this is a \(found.noun), but a \(expected.noun) is needed (\(expected.prefix)…)"
      case .damaged(let kind):
        "this \(kind.noun) is incomplete or mistyped: its checksum does not match"
      }
    }
  }

  package static func encode(_ key: SecretKey, as kind: Kind) -> String {
    key.withBytes { secret in
      var bytes = Array(copying: secret)
      defer { bytes.wipe() }
      bytes += checksum(secret, kind)
      return kind.prefix + base32(bytes)
    }
  }

  /// The secret in a text; white space around it does not count.
  package static func decode(_ text: String, as kind: Kind) throws(Failure) -> SecretKey {
    let text = text.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    guard let found = Kind.allCases.first(where: { text.starts(with: $0.prefix.utf8) }) else {
      throw .notAKey(expected: kind)
    }
    guard found == kind else { throw .wrongKind(found: found, expected: kind) }
    guard var bytes = bytes(fromBase32: text.dropFirst(kind.prefix.utf8.count)) else {
      throw .damaged(kind)
    }
    defer { bytes.wipe() }
    guard bytes.count == SecretKey.size + 4 else { throw .damaged(kind) }
    let secret = bytes.span.extracting(0..<SecretKey.size)
    guard equalBytes(bytes.span.extracting(SecretKey.size...), checksum(secret, kind).span) else {
      throw .damaged(kind)
    }
    return SecretKey(secret)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

  private static func checksum(_ secret: Span<UInt8>, _ kind: Kind) -> [UInt8] {
    let hash = SHA256()
    hash.update(Array(kind.prefix.utf8))
    hash.update(secret)
    return Array(hash.finish().prefix(4))
  }

  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  private static func base32(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var bits = 0
    var pending: UInt32 = 0
    for byte in bytes {
      pending = pending << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(alphabet[Int(pending >> UInt32(bits)) & 31])
      }
    }
    if bits > 0 { text.append(alphabet[Int(pending << UInt32(5 - bits)) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func bytes(fromBase32 text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var pending: UInt32 = 0
    for letter in text {
      guard let value = alphabet.firstIndex(of: letter), bytes.count < 64 else { return nil }
      pending = pending << 5 | UInt32(value)
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
      }
    }
    // What is left over is padding: less than a letter, and zero.
    guard bits < 5, pending & (1 << UInt32(bits) - 1) == 0 else { return nil }
    return bytes
  }
}
