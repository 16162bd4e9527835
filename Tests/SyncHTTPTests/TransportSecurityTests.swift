import Foundation
import NyaruEngine
import NyaruSyncHTTP
import NyaruSyncLog
import NyaruSyncServer
import TestSupport
import Testing

/// Client and server over TLS, with a certificate that only the test's authority vouches for.
@Suite struct TransportSecurityTests {
  private let directory: TemporaryDirectory
  private let tokens: TokenStore
  private let token: String
  private let vault = VaultID.random()

  init() throws {
    directory = try TemporaryDirectory()
    tokens = try TokenStore(storePath: directory.path)
    token = try tokens.create(scopes: .all).text
    for (name, text) in [
      ("authority", TestCertificates.authority), ("server", TestCertificates.server),
      ("key", TestCertificates.serverKey),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path(name)))
    }
  }

  private func server(host: String = "0.0.0.0", key: String = "key") throws -> EndpointServer {
    var configuration = EndpointConfiguration(listen: ListenAddress(host: host, port: 0))
    configuration.certificateFile = directory.path("server")
    configuration.privateKeyFile = directory.path(key)
    return try EndpointServer(configuration, store: MemoryEndpoint(), tokens: tokens)
  }

  private func session(
    _ host: String, _ server: EndpointServer, authority: String?
  ) async throws -> EndpointResponse {
    var configuration = HTTPConfiguration()
    configuration.certificateAuthorityFile = authority
    let address = try EndpointAddress("https://\(host):\(server.port)/\(vault)")
    let endpoint = try HTTPEndpoint(address, token: token, configuration: configuration)
    let request = SessionRequest(
      replica: .random(), ticket: .random(), isOnlyAsking: true, claims: [])
    return try await endpoint.call(.session, vault: vault, body: request.encoded())
  }

  @Test(arguments: ["127.0.0.1", "localhost"])
  func `a certificate of a trusted authority is accepted`(host: String) async throws {
    let server = try server()
    #expect(server.isSecure)
    let response = try await session(host, server, authority: directory.path("authority"))
    #expect(response.status == 200)
    try await server.stop()
  }

  @Test func `an authority that is not trusted is refused`() async throws {
    let server = try server()
    await #expect { try await session("127.0.0.1", server, authority: nil) } throws: { error in
      "\(error)".contains("no trusted connection")
    }
    try await server.stop()
  }

  @Test func `a certificate for another name is refused`() async throws {
    let server = try server()
    await #expect {
      try await session("127.0.0.2", server, authority: directory.path("authority"))
    } throws: { error in
      "\(error)".contains("no trusted connection")
    }
    try await server.stop()
  }

  @Test func `plain HTTP to a secure port gets no further`() async throws {
    let server = try server()
    let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/healthz", body: [])
    await #expect(throws: HTTPFailure.self) { try await HTTPClient().post(request) }
    try await server.stop()
  }

  @Test(arguments: ["authority", "server", "missing"])
  func `a key that is another's, or none, is an error at the start`(key: String) throws {
    #expect { try server(host: "127.0.0.1", key: key) } throws: { error in
      if case .certificate = error as? EndpointServerError { true } else { false }
    }
  }
}
