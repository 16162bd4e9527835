internal import COpenSSL

/// HMAC-SHA256 (RFC 2104) under one key, for many messages one after the other.
@safe package final class HMACSHA256 {
  package static let size = 32

  private let context: OpaquePointer

  package convenience init(key: SecretKey) {
    self.init(key: key) { key, body in key.withBytes(body) }
  }

  /// For salts and test vectors, whose keys have any size.
  package convenience init(keyBytes: [UInt8]) {
    self.init(key: keyBytes) { key, body in body(key.span) }
  }

  private init<Key>(key: Key, lend: (Key, (Span<UInt8>) -> Bool) -> Bool) {
    guard let context = unsafe EVP_MAC_CTX_new(Fetched.hmac.pointer) else {
      preconditionFailure("out of memory")
    }
    unsafe self.context = context
    let isReady = lend(key) { bytes in unsafe Self.start(context, key: bytes) }
    precondition(isReady, "HMAC takes any key")
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }

  package func update(_ bytes: Span<UInt8>) {
    let result = unsafe bytes.withUnsafeBufferPointer { pointer in
      unsafe EVP_MAC_update(context, pointer.baseAddress, pointer.count)
    }
    precondition(result == 1, "HMAC takes any bytes")
  }

  package func update(_ bytes: [UInt8]) { update(bytes.span) }

  /// The code of all bytes since the last call; afterwards the next message may begin.
  package func finish() -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Self.size)
    var size = 0
    // Without a key, the context starts again under the one that it has.
    let isDone =
      unsafe EVP_MAC_final(context, &code, &size, code.count) == 1
      && EVP_MAC_init(context, nil, 0, nil) == 1
    precondition(isDone, "HMAC always ends")
    return code
  }

  package static func code(for bytes: [UInt8], key: SecretKey) -> [UInt8] {
    let hmac = HMACSHA256(key: key)
    hmac.update(bytes)
    return hmac.finish()
  }

  private static func start(_ context: OpaquePointer, key: Span<UInt8>) -> Bool {
    unsafe "SHA256".withCString { name in
      // OpenSSL only reads the name, and only during the call.
      let digest = unsafe OSSL_PARAM_construct_utf8_string(
        copenssl_mac_param_digest(), UnsafeMutablePointer(mutating: name), 0)
      let parameters = unsafe [digest, OSSL_PARAM_construct_end()]
      return unsafe key.withUnsafeBufferPointer { key in
        // A null key would mean "the key as before"; an empty one is a key, too.
        var empty: UInt8 = 0
        return unsafe withUnsafePointer(to: &empty) { empty in
          unsafe EVP_MAC_init(context, key.baseAddress ?? empty, key.count, parameters) == 1
        }
      }
    }
  }
}
