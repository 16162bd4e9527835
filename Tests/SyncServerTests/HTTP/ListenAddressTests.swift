import NyaruSyncServer
import Testing

@Suite struct ListenAddressTests {
  @Test(
    arguments: [
      ("127.0.0.1:8080", "127.0.0.1", 8080), ("localhost:0", "localhost", 0),
      ("[::1]:443", "::1", 443),
      ("0.0.0.0:65535", "0.0.0.0", 65535),
    ] as [(String, String, UInt16)])
  func `a host and a port are read, and written the same`(
    text: String, host: String, port: UInt16
  ) {
    let address = ListenAddress(text)
    #expect(address == ListenAddress(host: host, port: port))
    #expect(address?.description == text)
  }

  @Test(arguments: [
    "", "127.0.0.1", ":80", "host:", "host:+1", "host:65536", "host:8o", "::1:80", "a b:80",
    "[]:80", "host:-1", "host: 1",
  ])
  func `anything else is refused`(text: String) {
    #expect(ListenAddress(text) == nil)
  }
}
