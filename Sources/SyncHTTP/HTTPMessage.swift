/// One request, complete: it is sent with a length, never in chunks.
package struct HTTPRequest: Sendable {
  /// A header line, as name and value.
  package struct Header: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// Neither part can end the line and begin another.
    var isWellFormed: Bool {
      let isVisible: (UInt8) -> Bool = { $0 >= 0x20 && $0 != 0x7F }
      return !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
        && value.utf8.allSatisfy(isVisible)
    }
  }

  package var url: String
  package var headers: [Header]
  package var body: [UInt8]

  package init(url: String, headers: [Header] = [], body: [UInt8]) {
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// What a server answered, whatever it means.
package struct HTTPResponse: Sendable, Equatable {
  package var status: Int

  /// The media type in lower case, without parameters; empty if the answer names none.
  package var contentType: String

  /// The seconds of `Retry-After`, if the answer has them in that form.
  package var retryAfter: Int?

  package var body: [UInt8]

  package init(status: Int, contentType: String = "", retryAfter: Int? = nil, body: [UInt8] = []) {
    self.status = status
    self.contentType = contentType
    self.retryAfter = retryAfter
    self.body = body
  }
}

/// Why there is no answer.
package enum HTTPFailure: Error, Equatable, Sendable {
  /// No connection was made, so nothing was sent. The text says why.
  case cannotConnect(String)

  /// The connection was made, and then nothing came for too long.
  case timedOut(String)

  /// The connection broke. The request may have been carried out.
  case connectionLost(String)

  /// The two sides do not agree on TLS, or the certificate is not trusted.
  case tls(String)

  /// What came back is not HTTP.
  case notHTTP(String)

  /// The answer is larger than the limit.
  case answerTooLarge(limit: Int)

  /// The URL or a header cannot be sent.
  case invalidRequest(String)

  /// The task was cancelled, or the client is closed.
  case cancelled
}

extension HTTPFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cannotConnect(let text): "no connection: \(text)"
    case .timedOut(let text): "no answer in time: \(text)"
    case .connectionLost(let text): "the connection broke: \(text)"
    case .tls(let text): "no trusted connection: \(text)"
    case .notHTTP(let text): "what answers does not speak HTTP: \(text)"
    case .answerTooLarge(let limit): "the answer is larger than \(limit) bytes"
    case .invalidRequest(let text): "the request cannot be sent: \(text)"
    case .cancelled: "cancelled"
    }
  }
}
