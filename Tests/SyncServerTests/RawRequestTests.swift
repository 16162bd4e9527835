import NyaruSyncLog
import NyaruSyncServer
import TestSupport
import Testing

/// Requests as no client of ours would send them, byte for byte.
@Suite struct RawRequestTests {
  private func run(
    _ body: (RunningEndpoint, RawConnection) async throws -> Void
  ) async throws {
    let running = try RunningEndpoint(store: MemoryEndpoint())
    try await body(running, try RawConnection(port: running.server.port))
    // Whatever it was, the next client is served.
    let next = try RawConnection(port: running.server.port)
    next.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(await next.receive().hasPrefix("HTTP/1.1 200 "))
    try await running.server.stop()
  }

  private func head(_ running: RunningEndpoint, _ lines: String...) -> String {
    let start = "POST /v1/\(VaultID.random())/session HTTP/1.1\r\nHost: x\r\n"
    let token = "Authorization: Bearer \(running.token)\r\n"
    let type = "Content-Type: \(EndpointRoute.mediaType)\r\n"
    return start + token + type + lines.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  @Test func `health says ok, and is not to be kept`() async throws {
    try await run { _, connection in
      connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      let answer = await connection.receive()
      #expect(answer.hasSuffix("\r\n\r\nok\n"))
      #expect(answer.contains("\r\nCache-Control: no-store\r\n"))
      #expect(answer.contains("\r\nRequest-Id: "))
    }
  }

  @Test(arguments: [
    "\r\n\r\n\r\n", "\0\0\0\0\0\0\0\0", "hello\r\n\r\n", "POST\r\n\r\n",
    "GET /healthz HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}",
  ])
  func `noise harms nobody`(noise: String) async throws {
    try await run { _, connection in connection.send(noise) }
  }

  @Test func `a body in chunks is refused before it is read`() async throws {
    try await run { running, connection in
      connection.send(head(running, "Transfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n\r\n")
      #expect(await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 411 "))
    }
  }

  @Test func `two lengths are refused`() async throws {
    try await run { running, connection in
      connection.send(head(running, "Content-Length: 5", "Content-Length: 6") + "hello")
      #expect(await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
    }
  }

  @Test func `a length and chunks are refused`() async throws {
    try await run { running, connection in
      connection.send(
        head(running, "Content-Length: 5", "Transfer-Encoding: chunked") + "0\r\n\r\n")
      let answer = await connection.receive(until: "\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 411 ") || answer.hasPrefix("HTTP/1.1 400 "))
    }
  }

  @Test func `an endless header ends the connection`() async throws {
    try await run { running, connection in
      let line = "X-Filler: " + String(repeating: "x", count: 1000) + "\r\n"
      connection.send("POST / HTTP/1.1\r\n" + String(repeating: line, count: 200))
      let answer = await connection.receive()
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"))
    }
  }

  @Test func `a large header that fits is refused by its size`() async throws {
    try await run { running, connection in
      let filler = "X-Filler: " + String(repeating: "x", count: 17 << 10)
      connection.send(head(running, filler, "Content-Length: 0"))
      #expect(await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 4"))
    }
  }

  @Test func `requests that follow each other at once are answered in order`() async throws {
    try await run { running, connection in
      let first = head(running, "Content-Length: 1") + "x"
      let second = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      connection.send(first + second)
      let answer = await connection.receive()
      #expect(answer.hasPrefix("HTTP/1.1 400 "))
      #expect(answer.hasSuffix("\r\n\r\nok\n"))
    }
  }

  @Test func `a client that waits for permission gets it`() async throws {
    try await run { running, connection in
      connection.send(head(running, "Content-Length: 1", "Expect: 100-continue"))
      #expect(await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
      connection.send("x")
      #expect(await connection.receive(until: "}").hasPrefix("HTTP/1.1 400 "))
    }
  }

  @Test func `a refused client does not get permission`() async throws {
    try await run { _, connection in
      connection.send(
        "POST /v1/\(VaultID.random())/push HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n"
          + "Expect: 100-continue\r\n\r\n")
      #expect(await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 401 "))
    }
  }

  @Test func `a client that stops in its header is cut off in time`() async throws {
    let time = ManualClock()
    let handler = EndpointRouter(
      store: MemoryEndpoint(), tokens: try TokenStore(storePath: TemporaryDirectory().path))
    let context = DaemonContext(handler: handler, limits: EndpointLimits(), clock: time.clock)
    let socket = try ListenSocket.open(ListenAddress(host: "127.0.0.1", port: 0))
    let daemon = try #require(HTTPDaemon(socket: socket, identity: nil, context: context))
    let connection = try RawConnection(port: daemon.port)
    connection.send("POST /v1/")
    while context.connectionCount == 0 { await Task.yield() }
    time.advance(.seconds(9))
    context.sweep()
    #expect(context.connectionCount == 1)
    time.advance(.seconds(2))
    context.sweep()
    #expect(await connection.receive() == "")
    await daemon.stop()
  }
}
