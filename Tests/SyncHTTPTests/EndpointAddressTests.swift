import NyaruSyncHTTP
import NyaruSyncLog
import Testing

@Suite struct EndpointAddressTests {
  private static let vault = "0123456789abcdef0123456789abcdef"

  @Test(arguments: [
    ("https://example.org/$", "https://example.org"),
    ("https://example.org:8443/$", "https://example.org:8443"),
    ("https://example.org/a/b-c/$", "https://example.org/a/b-c"),
    ("https://example.org/$/", "https://example.org"),
    ("https://[2001:db8::1]:443/$", "https://[2001:db8::1]:443"),
    ("http://127.0.0.1:8080/$", "http://127.0.0.1:8080"),
    ("http://127.1.2.3/$", "http://127.1.2.3"), ("http://localhost:1/$", "http://localhost:1"),
    ("http://[::1]:9/$", "http://[::1]:9"),
  ])
  func `an address has a base and a vault`(text: String, base: String) throws {
    let address = try EndpointAddress(text.replacing("$", with: Self.vault))
    #expect(address.base == base)
    #expect(address.vault.description == Self.vault)
    #expect(address.url(.push) == "\(base)/v1/\(Self.vault)/push")
    #expect(address.description == "\(base)/\(Self.vault)")
  }

  @Test(arguments: [
    "http://example.org/$", "http://127.0.0.1.example.org/$", "http://192.168.0.1/$",
    "http://0.0.0.0/$", "http://[2001:db8::1]/$", "http://localhost.example.org/$",
  ])
  func `plain http leads no further than this machine, unless allowed`(text: String) throws {
    let text = text.replacing("$", with: Self.vault)
    #expect {
      try EndpointAddress(text)
    } throws: { error in
      if case .insecure = error as? EndpointAddress.Failure { true } else { false }
    }
    #expect(throws: Never.self) { try EndpointAddress(text, allowsInsecureHosts: true) }
  }

  @Test(arguments: [
    "", "example.org/$", "ftp://example.org/$", "https://", "https:///$", "https://example.org",
    "https://example.org/", "https://example.org/$0", "https://example.org/x",
    "https://example.org//$", "https://example.org/../$", "https://example.org/a%2f/$",
    "https://user@example.org/$", "https://user:pw@example.org/$", "https://example.org:/$",
    "https://example.org:0/$", "https://example.org:65536/$", "https://example.org:+1/$",
    "https://[::1/$", "https://[example.org]/$", "https://exa mple.org/$",
    "https://example.org/a?b=$", "https://example.org/$#x", "https://example.org\u{0}/$",
    "https://ex\u{e4}mple.org/$", "HTTPS://example.org/$",
  ])
  func `anything else is refused with a reason`(text: String) {
    #expect {
      try EndpointAddress(text.replacing("$", with: Self.vault))
    } throws: { error in
      if case .malformed = error as? EndpointAddress.Failure { true } else { false }
    }
  }
}
