internal import COpenSSL

/// An OpenSSL algorithm that is looked up once and shared by all threads.
///
/// Looking one up by name for each call costs more than sealing a small record. The objects are
/// immutable, safe to share and never freed, so the address is all there is to keep.
struct Fetched: Sendable {
  private let address: UInt

  private init(_ pointer: OpaquePointer?, _ name: String) {
    // Without its algorithms the library is broken; no input leads here.
    guard let pointer = unsafe pointer else { preconditionFailure("OpenSSL lacks \(name)") }
    address = UInt(bitPattern: pointer)
  }

  var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

  static let sha256 = unsafe Fetched(EVP_MD_fetch(nil, "SHA256", nil), "SHA256")
  static let hmac = unsafe Fetched(EVP_MAC_fetch(nil, "HMAC", nil), "HMAC")
  static let blocks = unsafe Fetched(EVP_CIPHER_fetch(nil, "AES-256-ECB", nil), "AES-256-ECB")
  static let galois = unsafe Fetched(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "AES-256-GCM")
}
