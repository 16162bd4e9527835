/// How an endpoint is reached, and how long its silence is borne.
///
/// There is no limit on the whole time of a request: a large page on a slow line may take as
/// long as it needs, as long as bytes flow.
public struct HTTPConfiguration: Sendable {
  /// A file of certificates (PEM) that are trusted in place of the system's.
  public var certificateAuthorityFile: String?

  /// The proxy to use, as a URL. Proxies named by the environment are ignored.
  public var proxy: String?

  /// Whether `http` is allowed to hosts beyond the loopback interface.
  ///
  /// Contents are sealed anyway, but who listens could take the token.
  public var allowsInsecureHosts = false

  /// How long name resolution, connection and TLS handshake may take.
  public var connectTimeout: Duration = .seconds(10)

  /// A transfer that is slower than this, in bytes per second, for ``lowSpeedTime`` is given up.
  public var lowSpeedLimit = 16

  /// How long a transfer may stay below ``lowSpeedLimit``; the endpoint's thinking counts, too.
  public var lowSpeedTime: Duration = .seconds(60)

  /// The largest answer that is accepted: a page may exceed its limit by one group.
  public var answerSizeLimit = 48 << 20

  /// When a request that failed is sent again.
  public var retryPolicy = RetryPolicy()

  /// The defaults, which suit an endpoint on the internet.
  public init() {}
}
