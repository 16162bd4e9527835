internal import FoundationEssentials

/// Why an endpoint refused a call: on the wire, a problem document (RFC 9457).
///
///     { "type": "urn:nyaru:problem:epochChanged", "title": "…", "status": 409, "detail": "…",
///       "code": "epochChanged", "retryable": true,
///       "records": [ { "index": 3, "code": "tooManyHeads", "detail": "…" } ] }
package struct EndpointFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What went wrong, each with one HTTP status.
  package enum Code: String, Codable, Sendable, CaseIterable {
    case malformed
    case unsupportedVersion
    case unauthorized
    case forbidden
    case unknownRoute
    case unknownCollection
    case methodNotAllowed
    case epochChanged
    case historyChanged
    case ticketUnknown
    case lengthRequired
    case tooLarge
    case unsupportedMediaType
    case recordsRefused
    case tooManyRequests
    case internalError
    case readOnly
    case unavailable
  }

  /// One record of a push that the endpoint cannot take.
  package struct Record: Equatable, Codable, Sendable {
    /// Why: the envelope does not read, or too many versions stand already.
    package enum Code: String, Codable, Sendable {
      case malformed
      case tooLarge
      case tooManyHeads
    }

    /// The envelope's place in the request, from 0.
    package var index: Int
    package var code: Code
    package var detail: String

    package init(index: Int, code: Code, detail: String) {
      self.index = index
      self.code = code
      self.detail = detail
    }
  }

  package var code: Code

  /// What happened, for a person. It names no id and no content: the endpoint knows none.
  package var detail: String
  package var records: [Record]

  /// Seconds after which to try again, as in the `Retry-After` header.
  package var retryAfter: Int?

  package init(
    _ code: Code, _ detail: String, records: [Record] = [], retryAfter: Int? = nil
  ) {
    self.code = code
    self.detail = detail
    self.records = records
    self.retryAfter = retryAfter
  }

  package var description: String { "\(code.rawValue): \(detail)" }
}

extension EndpointFailure.Code {
  package var status: Int {
    switch self {
    case .malformed, .unsupportedVersion: 400
    case .unauthorized: 401
    case .forbidden: 403
    case .unknownRoute, .unknownCollection: 404
    case .methodNotAllowed: 405
    case .epochChanged, .historyChanged, .ticketUnknown: 409
    case .lengthRequired: 411
    case .tooLarge: 413
    case .unsupportedMediaType: 415
    case .recordsRefused: 422
    case .tooManyRequests: 429
    case .internalError: 500
    case .readOnly, .unavailable: 503
    }
  }

  /// Whether the same client may succeed later, or after a new session, without other data.
  package var isRetryable: Bool {
    switch self {
    case .epochChanged, .historyChanged, .ticketUnknown, .tooManyRequests, .internalError,
      .readOnly, .unavailable:
      true
    default: false
    }
  }

  package var title: String {
    switch self {
    case .malformed: "The request does not read"
    case .unsupportedVersion: "No common protocol version"
    case .unauthorized: "A valid token is needed"
    case .forbidden: "The token does not allow this"
    case .unknownRoute: "There is no such call"
    case .unknownCollection: "There is no such collection"
    case .methodNotAllowed: "Only POST is allowed"
    case .epochChanged: "The collection began anew"
    case .historyChanged: "The history is not the one that the client saw"
    case .ticketUnknown: "The session is not the newest of this replica"
    case .lengthRequired: "Content-Length is needed"
    case .tooLarge: "The request is too large"
    case .unsupportedMediaType: "The body is not of the protocol's media type"
    case .recordsRefused: "Some records cannot be taken; none was"
    case .tooManyRequests: "Too many requests"
    case .internalError: "The endpoint failed"
    case .readOnly: "The endpoint takes no changes now"
    case .unavailable: "The endpoint is not available now"
    }
  }
}

extension EndpointFailure {
  /// The failure as it lies in a body.
  private struct Problem: Codable {
    var type: String
    var title: String
    var status: Int
    var detail: String
    var code: String
    var retryable: Bool
    var records: [Record]?
  }

  package func encoded() -> [UInt8] {
    let problem = Problem(
      type: "urn:nyaru:problem:\(code.rawValue)", title: code.title, status: code.status,
      detail: detail, code: code.rawValue, retryable: code.isRetryable,
      records: records.isEmpty ? nil : records)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and numbers always encode; without a body the status still says the kind.
    return (try? encoder.encode(problem)).map(Array.init) ?? []
  }

  /// Reads a problem document, or `nil` if the body is none of ours.
  package init?(decoding body: [UInt8], retryAfter: Int?) {
    guard let problem = try? JSONDecoder().decode(Problem.self, from: Data(body)),
      let code = Code(rawValue: problem.code)
    else { return nil }
    self.init(
      code, String(problem.detail.prefix(1000)), records: problem.records ?? [],
      retryAfter: retryAfter)
  }
}
