/// Why a cryptographic operation gave no result.
package enum CryptoError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The bytes were not sealed with this key for this place, or were changed since.
  case authenticationFailed

  /// A nonce that is not 24 bytes.
  case invalidNonceSize(Int)

  /// A parameter outside its floor and ceiling, named here.
  case invalidParameter(String)

  /// The crypto library refused a call that depends on no input, named here.
  case unavailable(String)

  /// The reason, in words for an error text.
  package var description: String {
    switch self {
    case .authenticationFailed: "the bytes were changed, or sealed with another key"
    case .invalidNonceSize(let size): "a nonce of \(size) bytes"
    case .invalidParameter(let what): what
    case .unavailable(let what): "the crypto library failed at \(what)"
    }
  }
}
