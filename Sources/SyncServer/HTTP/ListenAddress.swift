internal import Glibc

/// Where an endpoint listens: a host and a port, as in `127.0.0.1:8080` or `[::1]:0`.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
  /// A name or address; IPv6 without its brackets.
  public var host: String

  /// The port, or 0 for any free one.
  public var port: UInt16

  /// Joins the parts.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT`; `nil` if the text has another form.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = Self.port(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    self.init(host: String(host), port: port)
  }

  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  private static func port(_ text: Substring) -> UInt16? {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return UInt16(text)
  }
}
