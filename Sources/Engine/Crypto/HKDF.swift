/// Independent keys for separate uses from one secret: HKDF-SHA256 (RFC 5869).
package enum HKDF {
  /// A key for one use, which its label names.
  ///
  /// There is no salt, because the secret is random already.
  package static func derive(_ key: SecretKey, label: String) -> SecretKey {
    var bytes = key.withBytes { key in derive(key, salt: [], info: Array(label.utf8), count: 32) }
    defer { bytes.wipe() }
    return SecretKey(bytes.span)
  }

  /// Bytes for one use; the caller wipes what is secret.
  ///
  /// - Precondition: `count` is at most 8,160.
  package static func derive(
    _ secret: Span<UInt8>, salt: [UInt8], info: [UInt8], count: Int
  ) -> [UInt8] {
    precondition(count <= 255 * HMACSHA256.size, "HKDF ends there")
    let extractor = HMACSHA256(keyBytes: salt)
    extractor.update(secret)
    var pseudorandomKey = extractor.finish()
    defer { pseudorandomKey.wipe() }

    let expander = HMACSHA256(keyBytes: pseudorandomKey)
    var output: [UInt8] = []
    var block: [UInt8] = []
    var number: UInt8 = 1
    while output.count < count {
      expander.update(block)
      expander.update(info)
      expander.update([number])
      block = expander.finish()
      output += block.prefix(count - output.count)
      number &+= 1
    }
    block.wipe()
    return output
  }
}
