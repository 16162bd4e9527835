/// Why a cryptographic operation gave no result.
package enum CryptoError: Error, Equatable, Sendable {
  /// The bytes were not sealed with this key for this place, or were changed since.
  case authenticationFailed

  /// A nonce that is not 24 bytes.
  case invalidNonceSize(Int)

  /// A parameter outside its floor and ceiling, named here.
  case invalidParameter(String)

  /// The crypto library refused a call that depends on no input, named here.
  case unavailable(String)
}
