import Foundation
import Synchronization

/// A server that answers with given bytes, right or wrong, and then closes the connection.
///
/// Each connection gets the next step of the script. A connection beyond the script is closed at
/// once.
final class ScriptedServer: Sendable {
  /// What one connection gets.
  enum Step: Sendable {
    /// Bytes after the request was read, then the end.
    case answer(String)

    /// The end after the request was read, with a reset.
    case reset

    /// Nothing at all, until the client goes.
    case silence
  }

  let port: UInt16
  private let descriptor: CInt
  private let state: Mutex<State>

  private struct State {
    var requests: [String] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// What the clients sent, heads and bodies.
  var requests: [String] { state.withLock { $0.requests } }

  init(_ steps: [Step]) throws {
    state = Mutex(State())
    // A process that another test starts must not inherit sockets: they would stay open there.
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      let generic = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      guard unsafe bind(descriptor, generic, size) == 0, listen(descriptor, 16) == 0 else {
        return errno
      }
      return unsafe getsockname(descriptor, generic, &size)
    }
    guard code == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in serve(steps) }
  }

  /// Accepts no more connections.
  func stop() { shutdown(descriptor, CInt(SHUT_RDWR)) }

  /// Returns when a request was read.
  func waitForRequest() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.requests.isEmpty { state.waiters.append(continuation) }
        return !state.requests.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }

  private func serve(_ steps: [Step]) {
    var rest = steps[...]
    while case let connection = accept(descriptor, nil, nil), connection >= 0 {
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      if let step = rest.popFirst() { play(step, on: connection) }
      close(connection)
    }
    close(descriptor)
  }

  private func play(_ step: Step, on connection: CInt) {
    let request = readRequest(connection)
    let waiters = state.withLock { state in
      state.requests.append(String(decoding: request, as: UTF8.self))
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
    switch step {
    case .answer(let text):
      let bytes = Array(text.utf8)
      unsafe send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    case .reset:
      var linger = linger(l_onoff: 1, l_linger: 0)
      unsafe setsockopt(
        connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    case .silence:
      while !readSome(connection).isEmpty {}
    }
  }

  private func readRequest(_ connection: CInt) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let head = text[..<end.lowerBound].lowercased()
        let length = head.split(separator: "content-length: ").last.flatMap {
          Int($0.prefix { $0.isNumber })
        }
        if text[end.upperBound...].utf8.count >= length ?? 0 { return bytes }
      }
      let piece = readSome(connection)
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }

  private func readSome(_ connection: CInt) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(connection, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(0, count)))
  }
}
