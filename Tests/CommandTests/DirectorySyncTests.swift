import Testing

/// Two directories, without a server.
@Suite struct DirectorySyncTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.succeed("init", "a")
    try workspace.succeed("init", "b")
  }

  private func put(_ directory: String, _ document: String) throws {
    try workspace.succeed("put", directory, "c", input: document)
  }

  private func sync(_ arguments: String..., status: CInt = 0) throws -> [String: Any] {
    let result = try workspace.run(["sync"] + arguments + ["--json"], input: nil)
    #expect(result.status == status, "\(result.errors)")
    return try result.object()
  }

  private func expectEqual(_ collection: String = "c") throws {
    let exports = try ["a", "b"].map { try workspace.succeed("export", $0, collection).output }
    #expect(exports[0] == exports[1])
    #expect(!exports[0].isEmpty)
  }

  @Test func `collections that the other side lacks are made, with their id field`() throws {
    try workspace.succeed(
      "import", "a", "lands", "--id-field", "code", input: "{\"code\":\"BR\"}\n{\"code\":\"PT\"}")
    try workspace.succeed("put", "b", "others", input: "{\"id\":1}")
    let report = try sync("a", "b")
    #expect(report["sent"] as? Int == 2)
    #expect(report["received"] as? Int == 1)
    #expect(report["conflicts"] as? Int == 0)
    try expectEqual("lands")
    try expectEqual("others")
    try workspace.succeed("put", "b", "lands", input: "{\"code\":\"AO\"}")
    let again = try sync("a", "b")
    #expect(again["received"] as? Int == 1)
    let idle = try sync("a", "b")
    #expect(idle["sent"] as? Int == 0)
    #expect(idle["received"] as? Int == 0)
  }

  @Test func `push and pull go one way`() throws {
    try put("a", "{\"id\":\"from a\"}")
    try put("b", "{\"id\":\"from b\"}")
    try workspace.succeed("push", "a", "b")
    #expect(try workspace.succeed("export", "b", "c").lines.count == 2)
    #expect(try workspace.succeed("export", "a", "c").lines.count == 1)
    try workspace.succeed("pull", "a", "b")
    try expectEqual()
  }

  @Test func `concurrent edits both stand until one is chosen`() throws {
    try put("a", "{\"id\":\"x\",\"v\":0}{\"id\":\"y\",\"v\":0}")
    _ = try sync("a", "b")
    try put("a", "{\"id\":\"x\",\"v\":\"of a\"}")
    try put("b", "{\"id\":\"x\",\"v\":\"of b\"}")
    #expect(try sync("a", "b", status: 1)["conflicts"] as? Int == 1)
    try expectEqual()
    for side in ["a", "b"] {
      let seen = try workspace.succeed("get", side, "c", "x").output
      let result = try workspace.run("conflicts", side, "--json")
      let conflicts = try #require(try result.json() as? [[String: Any]])
      let conflict = try #require(conflicts.first)
      #expect(conflicts.count == 1)
      #expect(conflict["collection"] as? String == "c")
      #expect(conflict["id"] as? String == "x")
      let standing = try #require(conflict["document"] as? [String: Any])["v"] as? String
      #expect(Set([standing, seen.contains("of a") ? "of a" : "of b"]) == ["of a", "of b"])
    }
    try workspace.succeed("resolve", "a", "c", "x", "--keep", "1")
    _ = try sync("a", "b")
    try expectEqual()
    #expect(try workspace.succeed("conflicts", "b", "--json").output == "[]\n")
    try put("a", "{\"id\":\"y\",\"v\":1}")
    try put("b", "{\"id\":\"y\",\"v\":2}")
    _ = try sync("a", "b", status: 1)
    try workspace.succeed("resolve", "b", "c", "y", input: "{\"id\":\"y\",\"v\":3}")
    _ = try sync("a", "b")
    #expect(try workspace.succeed("get", "a", "c", "y").output == "{\"id\":\"y\",\"v\":3}\n")
  }

  @Test func `an edit outlives a deletion that did not know of it`() throws {
    try put("a", "{\"id\":\"x\",\"v\":0}{\"id\":\"y\",\"v\":0}")
    _ = try sync("a", "b")
    try workspace.succeed("delete", "a", "c", "x", "y")
    try put("b", "{\"id\":\"x\",\"v\":\"still wanted\"}")
    _ = try sync("a", "b")
    try expectEqual()
    #expect(
      try workspace.succeed("export", "a", "c").output == "{\"id\":\"x\",\"v\":\"still wanted\"}\n")
  }

  @Test func `a dry run says what would travel, and changes nothing`() throws {
    try put("a", "{\"id\":1}{\"id\":2}")
    try workspace.succeed("sync", "a", "b")
    try put("a", "{\"id\":3}")
    let report = try sync("a", "b", "--dry-run")
    #expect(report["sent"] as? Int == 1)
    #expect(try workspace.succeed("export", "b", "c").lines.count == 2)
  }

  @Test func `two vaults refuse each other, unless one joins`() throws {
    try workspace.succeed("init", "z")
    try put("a", "{\"id\":\"a\"}")
    try put("z", "{\"id\":\"z\"}")
    _ = try sync("a", "b")
    try workspace.succeed("init", "y")
    _ = try sync("z", "y")
    let refused = try workspace.run("sync", "a", "z")
    #expect(refused.status == 5)
    #expect(refused.errors.contains("--join"), "\(refused.errors)")
    #expect(try workspace.succeed("export", "z", "c").lines.count == 1)
    _ = try sync("a", "z", "--join")
    #expect(try workspace.succeed("export", "a", "c").output == "{\"id\":\"a\"}\n{\"id\":\"z\"}\n")
    #expect(
      try workspace.succeed("export", "z", "c").output
        == (try workspace.succeed("export", "a", "c").output))
  }

  @Test func `a copied directory is found, and both go on`() throws {
    try put("a", "{\"id\":1,\"v\":0}")
    _ = try sync("a", "b")
    let before = try workspace.succeed("status", "a", "--json").object()["databaseID"] as? String
    try workspace.copy("a", to: "copy")
    try put("a", "{\"id\":2,\"v\":\"of a\"}")
    try put("copy", "{\"id\":3,\"v\":\"of the copy\"}")
    let after = try workspace.succeed("status", "copy", "--json").object()["databaseID"] as? String
    #expect(before != after)
    _ = try sync("a", "b")
    _ = try sync("copy", "b")
    _ = try sync("a", "b")
    try expectEqual()
    #expect(try workspace.succeed("export", "a", "c").lines.count == 3)
  }

  @Test func `status names the vault that both are in`() throws {
    try put("a", "{\"id\":1}")
    _ = try sync("a", "b")
    let vaults = try ["a", "b"].map { side in
      try #require(try workspace.succeed("status", side, "--json").object()["vault"] as? String)
    }
    #expect(vaults[0] == vaults[1])
    #expect(vaults[0].count == 32)
  }
}
