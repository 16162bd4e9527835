internal import Foundation
package import NyaruSyncLog

/// What an endpoint is to be told when it starts.
public struct EndpointConfiguration: Sendable {
  /// Where to listen; port 0 takes any free one.
  public var listen: ListenAddress

  /// Whether plain HTTP is served beyond the loopback interface.
  public var allowsInsecure = false

  /// A file with the certificate chain (PEM), to serve HTTPS.
  public var certificateFile: String?

  /// A file with the certificate's private key (PEM).
  public var privateKeyFile: String?

  /// What one client may ask for.
  public var limits = EndpointLimits()

  /// Gets every request that is over, on any thread.
  public var log: @Sendable (RequestLogEntry) -> Void = { _ in }

  /// Starts with the defaults.
  public init(listen: ListenAddress) { self.listen = listen }
}

/// Why an endpoint does not start.
@nonexhaustive
public enum EndpointServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The address is taken, not this machine's, or not allowed.
  case cannotListen(ListenAddress, reason: String)

  /// Plain HTTP would leave this machine, and nobody allowed that.
  case insecure(ListenAddress)

  /// The certificate or its key cannot be used.
  case certificate(String)

  /// Another process serves the data.
  case busy(String)

  /// The data or the tokens cannot be opened.
  case store(String)

  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public var description: String {
    switch self {
    case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
    case .insecure(let address):
      "plain HTTP on \(address) would show tokens to the network: "
        + "give a certificate, listen on 127.0.0.1 behind a proxy, or allow it explicitly"
    case .certificate(let reason): "the certificate cannot be used: \(reason)"
    case .busy(let reason), .store(let reason): reason
    }
  }
}

/// An endpoint that runs: it listens, answers, and stops when it is told to.
public final class EndpointServer: Sendable {
  /// The port that it listens on.
  public let port: UInt16

  /// Whether it serves HTTPS.
  public let isSecure: Bool

  private let router: EndpointRouter
  private let context: DaemonContext
  private let daemon: HTTPDaemon
  private let close: @Sendable () async throws -> Void

  /// Opens the store and the tokens in a directory, which is created if missing, and starts.
  ///
  /// The data is in `vaults`, a database of its own, since a database shares its directory with
  /// nothing; the tokens lie beside it.
  ///
  /// - Throws: ``EndpointServerError``
  public static func start(
    _ configuration: EndpointConfiguration, storePath: String
  ) async throws(EndpointServerError) -> EndpointServer {
    let store = try await EmbeddedEndpointStore.open(path: storePath + "/vaults")
    do {
      let tokens = try TokenStore(storePath: storePath)
      _ = try tokens.list()  // A file that does not read is found now, not at the first request.
      return try EndpointServer(configuration, store: store, tokens: tokens) {
        try await store.close()
      }
    } catch {
      try? await store.close()  // The first error is the one to report.
      throw error as? EndpointServerError ?? .store("\(error)")
    }
  }

  /// Starts to answer from the store.
  ///
  /// `close` is called once nothing uses the store any more.
  package init(
    _ configuration: EndpointConfiguration, store: any EndpointStore, tokens: TokenStore,
    clock: ServerClock = .system, close: @escaping @Sendable () async throws -> Void = {}
  ) throws(EndpointServerError) {
    let identity = try Self.identity(configuration)
    let socket: ListenSocket
    do throws(ListenSocket.Failure) {
      socket = try ListenSocket.open(configuration.listen)
    } catch {
      throw .cannotListen(configuration.listen, reason: error.message)
    }
    guard identity != nil || socket.isLoopback || configuration.allowsInsecure else {
      throw .insecure(configuration.listen)
    }
    let router = EndpointRouter(
      store: store, tokens: tokens, limits: configuration.limits, clock: clock,
      log: configuration.log)
    let context = DaemonContext(handler: router, limits: configuration.limits, clock: clock)
    guard let daemon = HTTPDaemon(socket: socket, identity: identity, context: context) else {
      if identity != nil { throw .certificate("it does not read, or its key is another's") }
      throw .cannotListen(configuration.listen, reason: "the HTTP library does not start")
    }
    self.router = router
    self.context = context
    self.daemon = daemon
    self.close = close
    port = daemon.port
    isSecure = identity != nil
  }

  /// Stops: lets requests in the works end for as long as `drain`, and closes the store.
  ///
  /// New connections are refused at once, and new requests on open ones are told to come back.
  /// When the call returns, no thread, socket or file of the endpoint is left.
  ///
  /// - Throws: ``EndpointServerError/store(_:)`` if the store does not close cleanly. What was
  ///   answered before is durable all the same.
  public func stop(drain: Duration = .seconds(10)) async throws(EndpointServerError) {
    router.beginDrain()
    daemon.quiesce()
    let context = context
    let deadline = Task {
      try await Task.sleep(for: drain)
      context.abandonWork()
      try await Task.sleep(for: .seconds(1))  // For the answers to leave.
      context.breakConnections()
    }
    await context.waitUntilIdle()
    deadline.cancel()
    await daemon.stop()
    do { try await close() } catch { throw .store("\(error)") }
  }

  private static func identity(
    _ configuration: EndpointConfiguration
  ) throws(EndpointServerError) -> HTTPDaemon.Identity? {
    switch (configuration.certificateFile, configuration.privateKeyFile) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      return HTTPDaemon.Identity(certificate: try text(of: certificate), key: try text(of: key))
    default: throw .certificate("a certificate needs its key, and a key its certificate")
    }
  }

  private static func text(of path: String) throws(EndpointServerError) -> String {
    do {
      return try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw .certificate("\(path) does not read: \(error.localizedDescription)")
    }
  }
}
