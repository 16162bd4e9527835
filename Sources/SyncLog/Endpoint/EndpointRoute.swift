/// The calls of the protocol: `POST /v1/{vault}/{route}`.
package enum EndpointRoute: String, CaseIterable, Sendable {
  case session
  case pull
  case push
  case fetch

  /// The media type of every request and of every answer that is not an error.
  package static let mediaType = "application/vnd.nyaru.sync"

  /// The media type of errors (RFC 9457).
  package static let problemMediaType = "application/problem+json"

  /// The path of the call for a vault.
  package func path(for vault: VaultID) -> String { "/v1/\(vault)/\(rawValue)" }
}
