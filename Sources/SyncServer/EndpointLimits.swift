/// What one client may ask of an endpoint, so that none can take it from the others.
public struct EndpointLimits: Sendable {
  /// The largest body, refused from its announced length.
  public var bodySizeLimit = 16 << 20

  /// The largest header of a request.
  public var headerSizeLimit = 16 << 10

  /// Connections in all.
  public var connectionLimit = 256

  /// Connections from one address; raise it behind a proxy, whose address they all share.
  public var connectionLimitPerAddress = 16

  /// How long the first header of a connection may take.
  public var headerTimeout: Duration = .seconds(10)

  /// How long a connection may be silent.
  public var idleTimeout: Duration = .seconds(15)

  /// Bytes per second below which a body or an answer is given up.
  public var lowSpeedLimit = 1024

  /// Requests per second with one token, in the long run.
  public var requestsPerSecond = 50.0

  /// Requests with one token at once.
  public var requestBurst = 100.0

  /// Failed authentications per minute from one address.
  public var failedAuthenticationsPerMinute = 10.0

  /// The defaults, which suit a small machine on the internet.
  public init() {}
}
