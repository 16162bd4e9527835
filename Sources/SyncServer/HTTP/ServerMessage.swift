/// The head of a request, before any of its body was read.
package struct RequestHead: Sendable, Equatable {
  package var method: String
  package var path: String

  /// Header lines in the order in which they came, names in lower case.
  package var headers: [(name: String, value: String)]

  /// The size of the whole head in bytes.
  package var size: Int

  /// The address of the client, without its port.
  package var address: String

  package init(
    method: String, path: String, headers: [(name: String, value: String)] = [], size: Int = 0,
    address: String = "127.0.0.1"
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    self.size = size
    self.address = address
  }

  /// The value of a header that stands there exactly once.
  package func value(_ name: String) -> String? {
    let values = headers.lazy.filter { $0.name == name }
    return values.count == 1 ? values.first?.value : nil
  }

  package func count(_ name: String) -> Int {
    headers.lazy.filter { $0.name == name }.count
  }

  package static func == (left: RequestHead, right: RequestHead) -> Bool {
    left.method == right.method && left.path == right.path && left.size == right.size
      && left.address == right.address && left.headers.elementsEqual(right.headers, by: ==)
  }
}

/// An answer, complete.
package struct ServerAnswer: Sendable, Equatable {
  package var status: Int
  package var contentType: String
  package var body: [UInt8]
  package var retryAfter: Int?

  /// Whether the connection ends with this answer.
  package var closesConnection = false

  package init(status: Int, contentType: String, body: [UInt8], retryAfter: Int? = nil) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.retryAfter = retryAfter
  }
}

/// What the head of a request leads to.
package enum HeadDecision: Sendable {
  /// An answer at once; up to `discarding` bytes of body are read first and thrown away, so
  /// that the client is still there to read the answer.
  case answer(ServerAnswer, discarding: Int)

  /// Reads a body of this size, and then answers.
  case read(size: Int, respond: @Sendable ([UInt8]) async -> ServerAnswer)
}

/// How a request is named where people see it: nothing of what it carries.
package struct RequestLabel: Sendable, Equatable {
  /// The name of the route, never the path.
  package var route: String

  /// Which token was presented, if it is one of ours.
  package var tokenID: String?

  package init(route: String, tokenID: String? = nil) {
    self.route = route
    self.tokenID = tokenID
  }
}

/// Decides about requests; the daemon does the talking.
package protocol RequestHandler: Sendable {
  /// Decides from the head alone, without waiting for anything.
  func decide(_ head: RequestHead) -> (label: RequestLabel, decision: HeadDecision)

  /// The answer for requests that are in the works when the daemon stops.
  func stoppingAnswer() -> ServerAnswer

  /// Takes note of a request that is over.
  func note(_ entry: RequestLogEntry)
}

/// One request that is over: all that an endpoint ever logs of it.
public struct RequestLogEntry: Sendable, Equatable {
  /// `POST`, `GET`, …
  public var method: String

  /// The name of the route, such as `push`; never the path.
  public var route: String

  /// The status that was answered; 0 if the connection broke before.
  public var status: Int

  /// Bytes of body that came in.
  public var receivedSize: Int

  /// Bytes of body that went out.
  public var sentSize: Int

  /// From the end of the head to the end of the answer.
  public var milliseconds: Int

  /// What the client was told in `Request-Id`.
  public var requestID: String

  /// The token that was presented, if it is one of ours.
  public var tokenID: String?
}
