package import NyaruSyncServer

/// `serve`.
extension CommandRunner {
  /// Answers until a signal comes, then ends the requests in the works.
  func serve(_ request: ServeRequest) async throws {
    ProcessEnvironment.ignoreBrokenPipes()
    var configuration = EndpointConfiguration(listen: request.address)
    configuration.allowsInsecure = request.allowsInsecure
    configuration.certificateFile = request.certificateFile
    configuration.privateKeyFile = request.privateKeyFile
    let console = console
    configuration.log = { entry in console.note(RequestLine.text(of: entry)) }
    let server = try await EndpointServer.start(configuration, storePath: request.store)
    let listening = ListenAddress(host: request.address.host, port: server.port)
    let url = (server.isSecure ? "https://" : "http://") + listening.description
    if console.isJSON {
      let fields: [(String, JSONOutput)] = [
        ("url", .string(url)), ("host", .string(request.address.host)),
        ("port", .integer(Int(server.port))),
      ]
      try console.data(JSONOutput.object(fields).line)
    }
    console.note("listening on \(url); stop with Ctrl-C or SIGTERM")
    _ = await signals?.next()
    console.note("stopping")
    try await server.stop()
  }
}

/// The line in which an endpoint logs a request: nothing of its content, nothing of its vault.
package enum RequestLine {
  package static func text(of entry: RequestLogEntry) -> String {
    "\(entry.method) \(entry.route) \(entry.status) \(entry.receivedSize) \(entry.sentSize) "
      + "\(entry.milliseconds) ms \(entry.requestID) \(entry.tokenID ?? "-")"
  }
}
