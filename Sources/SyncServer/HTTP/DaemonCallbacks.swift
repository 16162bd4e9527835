internal import CMicroHTTPD

/// The functions that the HTTP library calls, on its own threads.
///
/// Every pointer to one of our objects is unretained: ``DaemonContext`` holds the objects as long
/// as the library may hand the pointers back.
enum DaemonCallbacks {
  /// Called for a head, for each piece of a body, at its end, and after a resumption.
  static let access: MHD_AccessHandlerCallback = {
    context, connection, url, method, _, bytes, size, slot in
    guard
      let context = unsafe context, let connection = unsafe connection,
      let size = unsafe size, let slot = unsafe slot
    else { return cmhd_no }
    let daemon = unsafe Unmanaged<DaemonContext>.fromOpaque(context).takeUnretainedValue()
    guard let pointer = unsafe slot.pointee else {
      let head = unsafe RequestReading.head(connection, url: url, method: method)
      let exchange = daemon.begin(head)
      unsafe slot.pointee = Unmanaged.passUnretained(exchange).toOpaque()
      return unsafe begin(exchange, daemon, connection)
    }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    guard unsafe size.pointee > 0 else {
      return unsafe take(exchange.advance(), exchange, daemon, connection)
    }
    let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size.pointee)
    let step = exchange.receive(count: piece.count) { body in
      unsafe body.append(contentsOf: piece)
    }
    unsafe size.pointee = 0
    return unsafe take(step, exchange, daemon, connection)
  }

  /// Called once for each exchange that began, however it ended.
  static let completed: MHD_RequestCompletedCallback = { context, connection, slot, code in
    guard
      let context = unsafe context, let pointer = unsafe slot?.pointee,
      let connection = unsafe connection
    else { return }
    let daemon = unsafe Unmanaged<DaemonContext>.fromOpaque(context).takeUnretainedValue()
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    unsafe slot?.pointee = nil
    unsafe watched(connection)?.update { $0.beginIdle(at: daemon.clock.elapsed()) }
    daemon.end(exchange, isComplete: cmhd_is_complete(code) != 0)
  }

  /// Called when a connection was accepted, and before its socket is closed.
  static let connection: MHD_NotifyConnectionCallback = { context, connection, slot, code in
    guard
      let context = unsafe context, let connection = unsafe connection, let slot = unsafe slot
    else { return }
    let daemon = unsafe Unmanaged<DaemonContext>.fromOpaque(context).takeUnretainedValue()
    if cmhd_is_start(code) != 0 {
      let watched = unsafe daemon.open(descriptor: cmhd_connection_socket(connection))
      unsafe slot.pointee = Unmanaged.passUnretained(watched).toOpaque()
    } else if let pointer = unsafe slot.pointee {
      let watched = unsafe Unmanaged<WatchedConnection>.fromOpaque(pointer).takeUnretainedValue()
      unsafe slot.pointee = nil
      daemon.close(watched)
    }
  }

  private static func begin(
    _ exchange: Exchange, _ daemon: DaemonContext, _ connection: OpaquePointer
  ) -> MHD_Result {
    if let answer = exchange.immediateAnswer {
      return unsafe send(answer, exchange, daemon, connection)
    }
    let size = exchange.expectedSize
    unsafe watched(connection)?.update { $0.beginBody(size: size, at: daemon.clock.elapsed()) }
    return cmhd_yes
  }

  private static func take(
    _ step: Exchange.Step, _ exchange: Exchange, _ daemon: DaemonContext,
    _ connection: OpaquePointer
  ) -> MHD_Result {
    switch step {
    case .proceed:
      return cmhd_yes
    case .giveUp:
      return cmhd_no  // Closes the connection.
    case .send(let answer):
      return unsafe send(answer, exchange, daemon, connection)
    case .work(let respond, let body):
      unsafe watched(connection)?.update { $0.beginWork() }
      // Suspended first: the answer may be there before `work` returns.
      unsafe MHD_suspend_connection(connection)
      let address = UInt(bitPattern: connection)
      daemon.work(exchange, connectionAddress: address, body: body, respond: respond)
      return cmhd_yes
    }
  }

  private static func send(
    _ answer: ServerAnswer, _ exchange: Exchange, _ daemon: DaemonContext,
    _ connection: OpaquePointer
  ) -> MHD_Result {
    let size = answer.body.count
    unsafe watched(connection)?.update { $0.beginAnswer(size: size, at: daemon.clock.elapsed()) }
    let response = unsafe answer.body.withUnsafeBytes { body in
      unsafe cmhd_response(body.baseAddress, body.count)
    }
    guard let response = unsafe response else { return cmhd_no }
    defer { unsafe MHD_destroy_response(response) }
    unsafe MHD_add_response_header(response, "Content-Type", answer.contentType)
    unsafe MHD_add_response_header(response, "Cache-Control", "no-store")
    unsafe MHD_add_response_header(response, "X-Content-Type-Options", "nosniff")
    unsafe MHD_add_response_header(response, "Request-Id", exchange.requestID)
    if let seconds = answer.retryAfter {
      unsafe MHD_add_response_header(response, "Retry-After", String(seconds))
    }
    if answer.status == 401 {
      unsafe MHD_add_response_header(response, "WWW-Authenticate", "Bearer")
    }
    if answer.status == 405 { unsafe MHD_add_response_header(response, "Allow", "POST") }
    if answer.closesConnection {
      unsafe MHD_add_response_header(response, "Connection", "close")
    }
    return unsafe MHD_queue_response(connection, UInt32(answer.status), response)
  }

  private static func watched(_ connection: OpaquePointer) -> WatchedConnection? {
    guard let pointer = unsafe cmhd_connection_context(connection) else { return nil }
    return unsafe Unmanaged<WatchedConnection>.fromOpaque(pointer).takeUnretainedValue()
  }
}

/// Reads what the library parsed of a request.
enum RequestReading {
  /// Collects header lines through a plain pointer.
  private final class Lines {
    var values: [(name: String, value: String)] = []
  }

  static func head(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>?, method: UnsafePointer<CChar>?
  ) -> RequestHead {
    let lines = Lines()
    // The iteration ends before this function does, so `lines` outlives the pointer.
    let context = unsafe Unmanaged.passUnretained(lines).toOpaque()
    unsafe cmhd_each_header(
      connection,
      { context, _, name, value in
        guard let context = unsafe context else { return cmhd_no }
        let lines = unsafe Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue()
        let line = unsafe (
          name: RequestReading.text(name).lowercased(), value: RequestReading.text(value)
        )
        lines.values.append(line)
        return cmhd_yes
      }, context)
    return unsafe RequestHead(
      method: text(method), path: text(url), headers: lines.values,
      size: cmhd_header_size(connection),
      address: SocketAddress(cmhd_client_address(connection)).host)
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
  }
}
