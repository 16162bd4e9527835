package import NyaruEngine

/// A token as an endpoint knows it: never its secret.
public struct TokenEntry: Sendable, Equatable {
  /// What the token is called in lists and logs: 16 hexadecimal digits.
  public var id: String

  /// What its bearer may do.
  public var scopes: TokenScopes

  /// The vault it is bound to, as 32 hexadecimal digits, or `nil` for any.
  public var vault: String?

  /// Milliseconds since 1970.
  public var created: UInt64

  /// Milliseconds since 1970 from which on the token is refused, or `nil` for never.
  public var expires: UInt64?

  /// SHA-256 of the secret.
  package var hash: [UInt8]

  package init(
    id: String, scopes: TokenScopes, vault: String?, created: UInt64, expires: UInt64?,
    hash: [UInt8]
  ) {
    self.id = id
    self.scopes = scopes
    self.vault = vault
    self.created = created
    self.expires = expires
    self.hash = hash
  }
}

/// The file of an endpoint's tokens.
///
///     file  := "NYTK", format: u32 = 1, count: varint, count × entry, crc: u32
///     entry := id: u8[8], hash: u8[32], scopes: u8, flags: u8, created: u64,
///              vault: u8[16] if flags & 1, expires: u64 if flags & 2
///
/// The checksum is CRC-32 over everything before it.
package enum TokenFile {
  /// Tokens in one file. Each is compared at every request, so that time tells nothing.
  static let countLimit = 1000

  static let sizeLimit = 16 + countLimit * 74

  private static let magic = Array("NYTK".utf8)
  private static let format: UInt32 = 1
  private static let idSize = 8
  private static let vaultSize = 16

  package static func encode(_ entries: [TokenEntry]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(magic)
    writer.write(format)
    writer.writeVarint(UInt64(entries.count))
    for entry in entries {
      writer.write(Hex.bytes(entry.id, count: idSize) ?? [])
      writer.write(entry.hash)
      writer.write(entry.scopes.rawValue)
      let vault = entry.vault.flatMap { Hex.bytes($0, count: vaultSize) }
      writer.write(UInt8((vault == nil ? 0 : 1) | (entry.expires == nil ? 0 : 2)))
      writer.write(entry.created)
      if let vault { writer.write(vault) }
      if let expires = entry.expires { writer.write(expires) }
    }
    writer.write(Checksum.of(writer.bytes.span))
    return writer.finish()
  }

  package static func decode(_ bytes: [UInt8]) throws(FormatError) -> [TokenEntry] {
    guard bytes.count >= 4 else { throw .truncated }
    let body = bytes.span.extracting(0..<bytes.count - 4)
    var tail = ByteReader(bytes.span.extracting((bytes.count - 4)...))
    guard try tail.readUInt32() == Checksum.of(body) else { throw .checksumMismatch }
    var reader = ByteReader(body)
    guard try reader.readBytes(4) == magic else { throw .invalid("not a file of tokens") }
    let format = try reader.readUInt32()
    guard format == Self.format else { throw .unsupported("token file format \(format)") }
    let count = try reader.readLength(limit: countLimit)
    var entries: [TokenEntry] = []
    for _ in 0..<count { entries.append(try entry(&reader)) }
    guard reader.remaining == 0 else { throw .invalid("bytes after the last token") }
    return entries
  }

  private static func entry(_ reader: inout ByteReader) throws(FormatError) -> TokenEntry {
    let id = Hex.text(try reader.readBytes(idSize))
    let hash = try reader.readBytes(SHA256.size)
    let scopes = TokenScopes(rawValue: try reader.readUInt8())
    guard scopes.isSubset(of: .all) else { throw .unsupported("token scopes") }
    let flags = try reader.readUInt8()
    guard flags <= 3 else { throw .unsupported("token flags") }
    let created = try reader.readUInt64()
    let vault = flags & 1 == 0 ? nil : Hex.text(try reader.readBytes(vaultSize))
    let expires = flags & 2 == 0 ? nil : try reader.readUInt64()
    return TokenEntry(
      id: id, scopes: scopes, vault: vault, created: created, expires: expires, hash: hash)
  }
}

/// Bytes as hexadecimal digits.
enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Exactly `count` bytes in small digits; `nil` for anything else.
  static func bytes(_ text: some StringProtocol, count: Int) -> [UInt8]? {
    guard text.utf8.count == 2 * count else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for letter in text.utf8 {
      guard let digit = digits.firstIndex(of: letter).map(UInt8.init) else { return nil }
      if let half = high {
        bytes.append(half << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes
  }
}
