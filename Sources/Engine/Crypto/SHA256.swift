internal import COpenSSL

/// SHA-256 (FIPS 180-4) over bytes that come in pieces.
@safe package final class SHA256 {
  package static let size = 32

  private let context: OpaquePointer

  package init() {
    guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
    unsafe self.context = context
    start()
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  package func update(_ bytes: Span<UInt8>) {
    let result = unsafe bytes.withUnsafeBufferPointer { pointer in
      unsafe EVP_DigestUpdate(context, pointer.baseAddress, pointer.count)
    }
    precondition(result == 1, "SHA-256 takes any bytes")
  }

  package func update(_ bytes: [UInt8]) { update(bytes.span) }

  /// The hash of all bytes since the last call; afterwards the next hash may begin.
  package func finish() -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Self.size)
    let result = unsafe EVP_DigestFinal_ex(context, &hash, nil)
    precondition(result == 1, "SHA-256 always ends")
    start()
    return hash
  }

  package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
    let sha = SHA256()
    sha.update(bytes)
    return sha.finish()
  }

  package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

  private func start() {
    let result = unsafe EVP_DigestInit_ex2(context, Fetched.sha256.pointer, nil)
    precondition(result == 1, "SHA-256 is always there")
  }
}
