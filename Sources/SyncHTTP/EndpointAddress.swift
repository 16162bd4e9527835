package import NyaruSyncLog
internal import Glibc

/// Where a vault is served: `https://host[:port][/prefix]/vault`, the vault in 32 digits.
public struct EndpointAddress: Sendable, Equatable, CustomStringConvertible {
  /// Why a text is no such address.
  @nonexhaustive
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text has another form; the reason says where.
    case malformed(String)

    /// Plain `http` leads over a network, and nobody allowed that.
    case insecure(host: String)

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var description: String {
      switch self {
      case .malformed(let reason): "not the address of a vault: \(reason)"
      case .insecure(let host):
        "http to \(host) would send the token in the clear: use https, or allow it explicitly"
      }
    }
  }

  /// Everything before `/v1/`.
  package let base: String

  /// The vault at the end of the address.
  package let vault: VaultID

  /// Reads an address.
  ///
  /// Plain `http` is refused beyond the loopback interface unless it is allowed.
  ///
  /// - Throws: ``Failure``
  public init(_ text: String, allowsInsecureHosts: Bool = false) throws(Failure) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .malformed("it has characters that no address has, or too many")
    }
    let scheme: String
    if text.hasPrefix("https://") {
      scheme = "https://"
    } else if text.hasPrefix("http://") {
      scheme = "http://"
    } else {
      throw .malformed("it begins with neither https:// nor http://")
    }
    var parts = text.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
    if parts.last?.isEmpty == true { parts.removeLast() }
    guard parts.count >= 2, let vaultText = parts.popLast(),
      let vault = VaultID(hexadecimal: vaultText)
    else { throw .malformed("it does not end with a vault, 32 hexadecimal digits") }
    guard let authority = parts.first, let host = Self.host(authority) else {
      throw .malformed("the host or the port is wrong")
    }
    for part in parts.dropFirst() where !Self.isPathPart(part) {
      throw .malformed("“\(part)” is no part of a path")
    }
    if scheme == "http://", !allowsInsecureHosts, !Self.isLoopback(host) {
      throw .insecure(host: host)
    }
    self.vault = vault
    base = scheme + parts.joined(separator: "/")
  }

  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public var description: String { "\(base)/\(vault)" }

  /// The URL of a call.
  package func url(_ route: EndpointRoute) -> String { base + route.path(for: vault) }

  /// The host in `host[:port]` without brackets; `nil` if anything is wrong, as a user name is.
  private static func host(_ authority: Substring) -> String? {
    var host = authority
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      let port = authority[authority.index(after: colon)...]
      guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port),
        number > 0
      else { return nil }
      host = authority[..<colon]
    }
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      var address = in6_addr()
      return unsafe inet_pton(AF_INET6, String(host), &address) == 1 ? String(host) : nil
    }
    let isName = host.utf8.allSatisfy { letter in
      switch letter {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: true
      default: false
      }
    }
    return isName && !host.isEmpty ? String(host) : nil
  }

  private static func isPathPart(_ part: Substring) -> Bool {
    let isPlain = part.utf8.allSatisfy { letter in
      switch letter {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
      default: false
      }
    }
    return isPlain && !part.isEmpty && part != "." && part != ".."
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host.lowercased() == "localhost" || host == "::1" { return true }
    var address = in_addr()
    guard unsafe inet_pton(AF_INET, host, &address) == 1 else { return false }
    return UInt32(bigEndian: address.s_addr) >> 24 == 127
  }
}
