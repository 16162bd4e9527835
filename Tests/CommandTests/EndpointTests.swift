import Foundation
import Glibc
import Testing

/// A served endpoint, clients in processes of their own.
@Suite struct EndpointTests {
  private let workspace: Workspace
  private let server: ChildProcess
  private let url: String
  private let log: String

  init() throws {
    let workspace = try Workspace()
    let token = try workspace.succeed("token", "new", "--store", "store")
    let word = try #require(token.output.split(whereSeparator: \.isWhitespace).last)
    #expect(word.hasPrefix("nyaru-token1-"))
    try workspace.write("token", word + "\n")
    let child = try workspace.startAndRead(
      ["serve", "--store", "store", "--listen", "127.0.0.1:0", "--json"])
    let address = try #require(
      try JSONSerialization.jsonObject(with: Data(child.line.utf8)) as? [String: Any])
    url = try #require(address["url"] as? String)
    self.workspace = workspace
    server = child.process
    log = child.errors
  }

  private func address(of directory: String) throws -> String {
    let status = try workspace.succeed("status", directory, "--json").object()
    return url + "/" + (try #require(status["vault"] as? String))
  }

  private func sync(
    _ verb: String, _ directory: String, status: CInt = 0, token: String = "token"
  ) throws -> [String: Any] {
    let result = try workspace.run(
      [verb, directory, try address(of: directory), "--token-file", token, "--json"], input: nil)
    #expect(result.status == status, "\(result.errors)")
    return result.output.isEmpty ? [:] : try result.object()
  }

  /// Two databases of one vault; the first holds the documents.
  private func makeReplicas(_ lines: [String]) throws {
    try workspace.succeed("init", "a")
    try workspace.succeed("import", "a", "countries", input: lines.joined(separator: "\n"))
    try workspace.succeed("key", "export", "a", "vault-key")
    try workspace.succeed("init", "b", "--vault-key", "vault-key")
  }

  private func export(_ directory: String) throws -> String {
    try workspace.succeed("export", directory, "countries").output
  }

  @Test func `documents travel through it, and it can read none of them`() throws {
    let words = (0..<300).map { "confidential-word-\($0)" }
    try makeReplicas(words.map { "{\"id\":\"id-of-\($0)\",\"field-of-\($0)\":\"\($0)\"}" })
    #expect(try sync("push", "a")["sent"] as? Int == 300)
    #expect(try sync("pull", "b")["applied"] as? Int == 300)
    #expect(try export("a") == export("b"))
    let idle = try sync("sync", "a")
    #expect(idle["sent"] as? Int == 0)
    #expect(idle["received"] as? Int == 0)

    server.send(SIGTERM)
    #expect(server.wait() == 0)
    var files = try workspace.contents(of: "store")
    #expect(files.reduce(0) { $0 + $1.bytes.count } > 20_000)
    files.append((log, Data(try workspace.read(log).utf8)))
    for file in files {
      for word in words + ["countries", "confidential", "id-of", "field-of"] {
        #expect(file.bytes.firstRange(of: Array(word.utf8)) == nil, "\(word) in \(file.name)")
        #expect(!file.name.contains(word))
      }
    }
  }

  @Test func `edits on both sides meet`() throws {
    try makeReplicas((0..<20).map { "{\"id\":\"\($0)\",\"v\":0}" })
    _ = try sync("sync", "a")
    _ = try sync("sync", "b")
    try workspace.succeed("put", "a", "countries", input: "{\"id\":\"1\",\"v\":\"of a\"}")
    try workspace.succeed("put", "b", "countries", input: "{\"id\":\"1\",\"v\":\"of b\"}")
    try workspace.succeed("put", "b", "countries", input: "{\"id\":\"2\",\"v\":\"of b\"}")
    try workspace.succeed("delete", "a", "countries", "3", "4")
    try workspace.succeed("put", "b", "countries", input: "{\"id\":\"4\",\"v\":\"still wanted\"}")
    _ = try sync("sync", "a")
    _ = try sync("sync", "b", status: 1)
    _ = try sync("sync", "a", status: 1)
    #expect(try export("a") == export("b"))
    #expect(try export("a").contains("still wanted"))
    #expect(try workspace.succeed("find", "a", "countries", "--count").output == "19\n")
    #expect(try workspace.run("conflicts", "a", "--json").json() as? [Any] != nil)
  }

  @Test func `a token is needed, and the right one`() throws {
    try makeReplicas(["{\"id\":1}"])
    let target = try address(of: "a")
    #expect(try workspace.run("push", "a", target).status == 3)
    try workspace.succeed("token", "new", "--store", "store-2")
    let foreign = try workspace.succeed("token", "new", "--store", "other").output
    try workspace.write("foreign", String(foreign.split(separator: " ").last ?? ""))
    _ = try sync("push", "a", status: 3, token: "foreign")
    let reading = try workspace.succeed("token", "new", "--store", "store", "--scopes", "pull")
    _ = try sync("push", "a")
    try workspace.succeed("put", "a", "countries", input: "{\"id\":2}")
    try workspace.write("reading", String(reading.output.split(separator: " ").last ?? ""))
    _ = try sync("push", "a", status: 3, token: "reading")
    _ = try sync("pull", "a", token: "reading")
    #expect(!(try workspace.read(log)).contains(foreign.split(separator: " ").last ?? "-"))
  }

  @Test func `a store that is served already is busy`() throws {
    let second = try workspace.run("serve", "--store", "store", "--listen", "127.0.0.1:0")
    #expect(second.status == 8, "\(second.errors)")
  }

  @Test func `what is no endpoint is told apart from what is not there`() throws {
    try makeReplicas(["{\"id\":1}"])
    let target = try address(of: "a")
    server.send(SIGTERM)
    #expect(server.wait() == 0)
    let gone = try workspace.run("push", "a", target, "--token-file", "token")
    #expect(gone.status == 4, "\(gone.errors)")
    #expect(try workspace.run("push", "a", "http://127.0.0.1:1/zz").status == 2)
  }
}
