import NyaruSyncHTTP
import Testing

@Suite struct HTTPClientTests {
  private func post(
    _ steps: [ScriptedServer.Step], body: [UInt8] = [1, 2, 3],
    _ configure: (inout HTTPConfiguration) -> Void = { _ in }
  ) async throws -> HTTPResponse {
    let server = try ScriptedServer(steps)
    defer { server.stop() }
    var configuration = HTTPConfiguration()
    configure(&configuration)
    let client = HTTPClient(configuration)
    return try await client.post(
      HTTPRequest(url: "http://127.0.0.1:\(server.port)/v1", body: body))
  }

  @Test func `an answer comes with status, type, patience and body`() async throws {
    let answer = """
      HTTP/1.1 503 Slow\r\nContent-Type: Application/Problem+JSON; charset=utf-8\r
      Retry-After: 7\r\nContent-Length: 5\r\n\r\nhello
      """
    let response = try await post([.answer(answer)])
    #expect(response.status == 503)
    #expect(response.contentType == "application/problem+json")
    #expect(response.retryAfter == 7)
    #expect(response.body == Array("hello".utf8))
  }

  @Test func `a request has a length, its headers and its body`() async throws {
    let server = try ScriptedServer([.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
    defer { server.stop() }
    let request = HTTPRequest(
      url: "http://127.0.0.1:\(server.port)/a/b", headers: [.init("X-One", "1")],
      body: Array("body".utf8))
    _ = try await HTTPClient().post(request)
    let text = try #require(server.requests.first)
    #expect(text.hasPrefix("POST /a/b HTTP/1.1\r\n"))
    #expect(text.contains("\r\nContent-Length: 4\r\n"))
    #expect(text.contains("\r\nX-One: 1\r\n"))
    #expect(!text.lowercased().contains("transfer-encoding"))
    #expect(text.hasSuffix("\r\n\r\nbody"))
  }

  @Test func `an empty body is sent as an empty body`() async throws {
    let server = try ScriptedServer([.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
    defer { server.stop() }
    let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/", body: [])
    #expect(try await HTTPClient().post(request).status == 200)
    #expect(server.requests.first?.contains("\r\nContent-Length: 0\r\n") == true)
  }

  @Test func `a port where nobody listens cannot be connected`() async throws {
    let server = try ScriptedServer([])
    let client = HTTPClient()
    let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/", body: [])
    server.stop()
    await #expect { try await client.post(request) } throws: { error in
      // The thread of the server may still close a connection that it accepted.
      switch error as? HTTPFailure {
      case .cannotConnect, .connectionLost: true
      default: false
      }
    }
  }

  @Test func `a name that does not exist cannot be connected`() async {
    let request = HTTPRequest(url: "http://nyaru.invalid/", body: [])
    await #expect { try await HTTPClient().post(request) } throws: { error in
      if case .cannotConnect = error as? HTTPFailure { true } else { false }
    }
  }

  @Test(arguments: [
    ScriptedServer.Step.reset, .answer(""), .answer("HTTP/1.1 200 OK\r\nContent-Le"),
    .answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it"),
    .answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf of it"),
  ])
  func `an answer that ends early is a lost connection`(step: ScriptedServer.Step) async {
    await #expect { try await post([step]) } throws: { error in
      if case .connectionLost = error as? HTTPFailure { true } else { false }
    }
  }

  @Test func `what is not HTTP is named so`() async {
    await #expect { try await post([.answer("SSH-2.0-OpenSSH_9.2\r\n")]) } throws: { error in
      if case .notHTTP = error as? HTTPFailure { true } else { false }
    }
  }

  @Test func `a redirect is an answer and is not followed`() async throws {
    let response = try await post([
      .answer("HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
    ])
    #expect(response.status == 302)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n01234567890",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n",
  ])
  func `an answer beyond the limit is refused`(answer: String) async {
    await #expect(throws: HTTPFailure.answerTooLarge(limit: 10)) {
      try await post([.answer(answer)]) { $0.answerSizeLimit = 10 }
    }
  }

  @Test func `an endless header is refused`() async {
    let line = "X-Filler: " + String(repeating: "x", count: 1000) + "\r\n"
    let answer = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 80)
    await #expect(throws: HTTPFailure.self) { try await post([.answer(answer)]) }
  }

  @Test func `silence ends with a time-out`() async {
    await #expect { try await post([.silence]) { $0.lowSpeedTime = .seconds(1) } } throws: {
      if case .timedOut = $0 as? HTTPFailure { true } else { false }
    }
  }

  @Test func `a cancelled task aborts its transfer`() async throws {
    let server = try ScriptedServer([.silence])
    defer { server.stop() }
    let client = HTTPClient()
    let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/", body: [])
    let task = Task { try await client.post(request) }
    await server.waitForRequest()
    task.cancel()
    await #expect(throws: HTTPFailure.cancelled) { try await task.value }
  }

  @Test func `a client that goes leaves nobody waiting`() async throws {
    let server = try ScriptedServer([.silence])
    defer { server.stop() }
    let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/", body: [])
    let task = Task { try await HTTPClient().post(request) }
    await server.waitForRequest()
    task.cancel()
    await #expect(throws: HTTPFailure.cancelled) { try await task.value }
  }

  @Test(arguments: ["a\r\nb", "a\nX-Evil: 1", "\0"])
  func `a header cannot smuggle another line`(value: String) async {
    let request = HTTPRequest(
      url: "http://127.0.0.1:1/", headers: [.init("Authorization", value)], body: [])
    await #expect(throws: HTTPFailure.invalidRequest("header Authorization")) {
      try await HTTPClient().post(request)
    }
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "http://", "no url"])
  func `only http and https are spoken`(url: String) async {
    await #expect(throws: HTTPFailure.self) {
      try await HTTPClient().post(HTTPRequest(url: url, body: []))
    }
  }

  @Test func `many requests at once come back to their own callers`() async throws {
    let answers = (0..<8).map { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" }
    let server = try ScriptedServer(answers.map { .answer($0) })
    defer { server.stop() }
    let client = HTTPClient()
    try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
      for index in 0..<8 {
        let request = HTTPRequest(
          url: "http://127.0.0.1:\(server.port)/\(index)", body: [UInt8(index)])
        group.addTask { try await client.post(request) }
      }
      for try await response in group { #expect(response.body == Array("ok".utf8)) }
    }
    #expect(Set(server.requests.map { $0.prefix(7) }).count == 8)
  }
}
