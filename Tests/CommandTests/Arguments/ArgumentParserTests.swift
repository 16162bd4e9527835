import NyaruSyncServer
import Testing
import nyaru_sync

@Suite struct ArgumentParserTests {
  private func action(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> Action {
    try ArgumentParser(environment: environment).parse(arguments).action
  }

  private func complaint(_ arguments: String...) -> UsageError? {
    do throws(UsageError) {
      _ = try ArgumentParser().parse(arguments)
      return nil
    } catch {
      return error
    }
  }

  private let cities = CollectionLocation(DatabaseLocation("d"), "cities")

  @Test(arguments: [
    ["import", "d", "cities", "f", "--upsert", "--index", "a,b.c", "--id-field=code"],
    ["--upsert", "--index=a,b.c", "import", "--id-field", "code", "d", "cities", "f"],
    ["import", "--ups", "--ind", "a,b.c", "d", "--id-f", "code", "--", "cities", "f"],
  ])
  func `options may stand anywhere`(arguments: [String]) throws {
    var request = ImportRequest()
    request.input = .file("f")
    request.idField = "code"
    request.indexedFields = ["a", "b.c"]
    request.replacesExisting = true
    let invocation = try ArgumentParser().parse(arguments)
    #expect(invocation.action == .importDocuments(cities, request))
  }

  @Test func `what follows two dashes is no option`() throws {
    #expect(try action("get", "d", "cities", "--", "--json") == .get(cities, id: "--json"))
    #expect(
      try action("delete", "d", "--", "cities", "-1", "--") == .delete(cities, ids: ["-1", "--"]))
  }

  @Test func `a dash is a standard stream`() throws {
    #expect(try action("export", "d", "cities", "-") == .export(cities, output: .standard))
    #expect(try action("export", "d", "cities") == .export(cities, output: .standard))
    #expect(try action("export", "d", "cities", "f") == .export(cities, output: .file("f")))
  }

  @Test func `operands are taken as they are`() throws {
    for id in ["", "a/b", "..", "👩‍🚀", " ", String(repeating: "x", count: 1024)] {
      #expect(try action("get", "d", "cities", id) == .get(cities, id: id))
    }
  }

  @Test func `find takes an order`() throws {
    var request = FindRequest()
    request.expression = "a == 1"
    request.sort = [.init("a:b", isAscending: false), .init("c"), .init("d")]
    request.limit = 3
    request.offset = 4
    #expect(
      try action(
        "find", "d", "cities", "--where", "a == 1", "--sort", "a:b:desc", "--sort", "c:asc",
        "--sort", "d", "--limit", "3", "--offset", "4") == .find(cities, request))
  }

  @Test func `a peer is a directory or an endpoint`() throws {
    let local = DatabaseLocation("a", keyFile: "k")
    var request = ExchangeRequest(
      .push, local: local,
      peer: .directory(DatabaseLocation("b", keyFile: "k", isKeyOptional: true)))
    request.isDryRun = true
    #expect(try action("push", "a", "b", "--key", "k", "--dry-run") == .exchange(request))
    request.peer = .directory(DatabaseLocation("b", keyFile: "l"))
    #expect(
      try action("push", "a", "b", "--key", "k", "--peer-key", "l", "--dry-run")
        == .exchange(request))
    request = ExchangeRequest(
      .both, local: DatabaseLocation("a"),
      peer: .endpoint(url: "http://h:1/v", tokenFile: "t", allowsInsecure: false))
    #expect(try action("sync", "a", "http://h:1/v", "--token-file", "t") == .exchange(request))
  }

  @Test func `the environment stands in for options, which win`() throws {
    let environment = ["NYARU_KEY_FILE": "e", "NYARU_TOKEN_FILE": "t"]
    #expect(
      try action("status", "d", environment: environment)
        == .status(DatabaseLocation("d", keyFile: "e", isKeyOptional: true)))
    #expect(
      try action("status", "d", "--key", "k", environment: environment)
        == .status(DatabaseLocation("d", keyFile: "k")))
    #expect(try action("status", "d", environment: ["NYARU_KEY_FILE": ""]) == .status(.init("d")))
  }

  @Test func `keys and tokens have words of their own`() throws {
    #expect(try action("key", "new") == .newKey(output: .standard))
    #expect(try action("key", "export", "d", "f") == .exportKey(.init("d"), output: .file("f")))
    #expect(
      try action("token", "new", "--store", "s", "--scopes", "pull")
        == .newToken(store: "s", scopes: .pull))
  }

  @Test(arguments: [
    ("127.0.0.1:0", ListenAddress(host: "127.0.0.1", port: 0)),
    ("[::1]:8080", ListenAddress(host: "::1", port: 8080)),
    ("localhost:65535", ListenAddress(host: "localhost", port: 65535)),
  ])
  func `an address has a host and a port`(text: String, address: ListenAddress) throws {
    #expect(
      try action("serve", "--store", "s", "--listen", text)
        == .serve(ServeRequest(store: "s", address: address)))
  }

  @Test(arguments: ["8080", ":8080", "h:", "h:65536", "h:-1", "::1:80", "[]:80", ""])
  func `half an address is refused`(text: String) {
    #expect(complaint("serve", "--store", "s", "--listen", text)?.verb == .serve)
  }

  @Test(arguments: [
    (["frobnicate"], "unknown command frobnicate"),
    (["improt", "d", "c"], "unknown command improt; did you mean import?"),
    ([], "a command is missing"),
    (["--json"], "a command is missing"),
    (["import", "d"], "COLLECTION is missing"),
    (["get", "d", "c"], "ID is missing"),
    (["status", "d", "e"], "e is one argument too many"),
    (["status", "d", "--upsert"], "it takes no --upsert"),
    (["status", "d", "--jsno"], "unknown option --jsno; did you mean --json?"),
    (
      ["status", "d", "-x"],
      "unknown option -x; write -- before an argument that begins with a dash"
    ),
    (["find", "d", "c", "--limit"], "--limit needs an argument: --limit N"),
    (["find", "d", "c", "--limit", "-1"], "--limit takes a whole number, not -1"),
    (
      ["find", "d", "c", "--limit", "99999999999999999999"],
      "--limit takes a whole number, not 99999999999999999999"
    ),
    (["find", "d", "c", "--limit=1", "--limit=2"], "--limit was given more than once"),
    (["find", "d", "c", "--count=1"], "--count takes no argument"),
    (["import", "d", "c", "--ind=a,,b"], "--index takes names with commas between them"),
    (["find", "d", "c", "--o"], "--offset needs an argument: --offset N"),
    (["find", "d", "c", "--co", "--jo"], "it takes no --join"),
    (["find", "d", "c", "--k"], "--k is ambiguous: --key, --keep"),
    (["serve", "--listen", "h:1"], "--store DIR is missing"),
    (["sync", "http://h/v", "d"], "A is a directory; the endpoint stands behind it"),
    (
      ["sync", "a", "b", "--token-file", "t"], "--token-file is for endpoints, and b is a directory"
    ),
    (["key", "d"], "write `key new` or `key export`, not d"),
    (
      ["token", "new", "--store", "s", "--scopes", "pull,fly"],
      "pull,fly are no scopes; there are pull,push"
    ),
    (["help", "gett"], "unknown command gett; did you mean get?"),
  ])
  func `wrong arguments are named`(arguments: [String], message: String) {
    #expect(throws: UsageError.self) { try ArgumentParser().parse(arguments) }
    do throws(UsageError) { _ = try ArgumentParser().parse(arguments) } catch {
      #expect(error.message == message)
    }
  }

  @Test func `help and version need nothing else`() throws {
    #expect(try action("--version") == .showVersion)
    #expect(try action("import", "--help") == .showHelp(.import))
    #expect(try action("-h") == .showHelp(nil))
    #expect(try action("help") == .showHelp(nil))
    #expect(try action("help", "sync") == .showHelp(.sync))
  }
}
