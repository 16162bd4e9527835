internal import CMicroHTTPD
internal import Foundation
internal import Synchronization

/// An HTTP/1.1 server over libmicrohttpd: a few threads that only move bytes.
///
/// No thread waits for an answer: the connection is suspended, a task works, and its answer
/// resumes the connection. So neither the library's threads nor Swift's are ever blocked by the
/// other side.
package final class HTTPDaemon: Sendable {
  /// Certificate chain and key, both as PEM text.
  package struct Identity: Sendable {
    package var certificate: String
    package var key: String

    package init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  static let threadCount = 4

  /// Memory for one connection's head and buffers. The limit on heads is checked below it.
  static let connectionMemorySize = 64 << 10

  package let port: UInt16
  private let context: DaemonContext
  private let state: Mutex<State>

  /// The daemon's address as a number, since a pointer may not cross threads.
  private struct State {
    var daemonAddress: UInt

    /// The library's own descriptor, open until its threads have ended: one that has not heard yet
    /// that the daemon is quiesced may still poll this number and accept from it, and closed
    /// numbers are given out again.
    var socket: ListenSocket?
    var isQuiesced = false
    var sweeper: Task<Void, Never>?
  }

  /// Starts to accept connections; `nil` if the library refuses, as with a bad certificate.
  package init?(socket: ListenSocket, identity: Identity?, context: DaemonContext) {
    // A library that refuses has closed what it was given, or not: so it gets a descriptor that
    // nobody else counts on.
    let descriptor = socket.duplicate()
    guard descriptor >= 0 else { return nil }
    // Taken back in `stop`, after the last callback.
    let pointer = unsafe Unmanaged.passRetained(context).toOpaque()
    let daemon = unsafe Self.start(descriptor, identity, context.limits, pointer)
    guard let daemon = unsafe daemon else {
      unsafe Unmanaged<DaemonContext>.fromOpaque(pointer).release()
      socket.refuse()
      return nil
    }
    let socket = ListenSocket(owning: descriptor, like: socket)
    port = socket.port
    self.context = context
    let sweeper = Task { [context] in
      while (try? await Task.sleep(for: .seconds(1))) != nil { context.sweep() }
    }
    let address = UInt(bitPattern: daemon)
    state = Mutex(State(daemonAddress: address, socket: socket, sweeper: sweeper))
  }

  /// Accepts no more connections; those that are open go on.
  package func quiesce() {
    state.withLock { state in
      guard !state.isQuiesced else { return }
      unsafe MHD_quiesce_daemon(OpaquePointer(bitPattern: state.daemonAddress))
      state.socket?.refuse()
      state.isQuiesced = true
    }
  }

  /// Ends every connection and every thread. Nothing may be in the works.
  package func stop() async {
    quiesce()
    context.abandonWork()
    let address = state.withLock { state in
      defer { state.daemonAddress = 0 }
      state.sweeper?.cancel()
      return state.daemonAddress
    }
    guard address != 0 else { return }
    let context = context
    await withCheckedContinuation { continuation in
      // Joins the library's threads, so it gets a thread to wait on.
      Thread.detachNewThread {
        unsafe MHD_stop_daemon(OpaquePointer(bitPattern: address))
        unsafe Unmanaged.passUnretained(context).release()
        continuation.resume()
      }
    }
    state.withLock { $0.socket = nil }
  }

  private static func start(
    _ descriptor: CInt, _ identity: Identity?, _ limits: EndpointLimits,
    _ context: UnsafeMutableRawPointer
  ) -> OpaquePointer? {
    var settings = unsafe cmhd_settings()
    unsafe settings.listen_socket = descriptor
    unsafe settings.thread_count = UInt32(threadCount)
    unsafe settings.connection_limit = UInt32(clamping: limits.connectionLimit)
    unsafe settings.connection_limit_per_address =
      UInt32(clamping: limits.connectionLimitPerAddress)
    unsafe settings.idle_seconds = UInt32(max(1, limits.idleTimeout.components.seconds))
    unsafe settings.connection_memory_size = connectionMemorySize
    unsafe settings.access = DaemonCallbacks.access
    unsafe settings.completed = DaemonCallbacks.completed
    unsafe settings.connection = DaemonCallbacks.connection
    unsafe settings.context = context
    guard let identity else { return unsafe cmhd_start(&settings) }
    // The library reads both texts while it starts.
    return unsafe identity.key.withCString { key in
      unsafe identity.certificate.withCString { certificate in
        unsafe settings.key = key
        unsafe settings.certificate = certificate
        return unsafe cmhd_start(&settings)
      }
    }
  }
}
