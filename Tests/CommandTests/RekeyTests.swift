import Foundation
import Testing

/// `rekey --at-rest`.
@Suite struct RekeyTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    for key in ["old", "new", "other"] { try workspace.succeed("key", "new", key) }
    try workspace.succeed("init", "d", "--key", "old")
    try workspace.succeed("put", "d", "people", "--key", "old", input: #"{"id":"1"}"#)
  }

  /// All files but the one that names the process.
  private func contents() throws -> [(name: String, bytes: Data)] {
    try workspace.contents(of: "d").filter { $0.name != "LOCK" }.sorted { $0.name < $1.name }
  }

  @Test func `the new key opens everything, and the old one nothing`() throws {
    let before = try contents().map(\.name)
    let result = try workspace.succeed(
      "rekey", "d", "--at-rest", "--key", "old", "--new-key", "new")
    #expect(result.output == "")
    #expect(result.errors.contains("new"))
    #expect(try contents().map(\.name) == before)
    #expect(try workspace.run("export", "d", "people", "--key", "old").status == 3)
    #expect(
      try workspace.succeed("export", "d", "people", "--key", "new").output == "{\"id\":\"1\"}\n")
    #expect(try workspace.succeed("check", "d", "--key", "new").status == 0)
  }

  @Test func `keys come from the environment and from standard input, too`() throws {
    let new = try workspace.read("new")
    let environment = [
      "NYARU_KEY_FILE": workspace.path + "/old", "NYARU_NEW_KEY_FILE": "-",
    ]
    let result = try workspace.run(
      ["rekey", "d", "--at-rest", "--json"], input: Array(new.utf8), environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "{\"rekeyed\":\"at-rest\"}\n")
    #expect(try workspace.succeed("get", "d", "people", "1", "--key", "new").status == 0)
  }

  @Test func `with a wrong key, or without one, nothing is written`() throws {
    let before = try contents()
    for key in [["--key", "other"], []] {
      let result = try workspace.run(
        ["rekey", "d", "--at-rest", "--new-key", "new"] + key, input: nil)
      #expect(result.status == 3)
    }
    let noFile = try workspace.run(
      "rekey", "d", "--at-rest", "--key", "old", "--new-key", "missing")
    #expect(noFile.status == 2)
    let after = try contents()
    #expect(after.map(\.name) == before.map(\.name))
    #expect(after.map(\.bytes) == before.map(\.bytes))
  }

  @Test func `what is to be changed has to be said, and a database without a key has none`() throws
  {
    let missing = try workspace.run("rekey", "d", "--key", "old", "--new-key", "new")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("--at-rest"))
    let noKey = try workspace.run("rekey", "d", "--at-rest", "--key", "old")
    #expect(noKey.status == 2)
    #expect(noKey.errors.contains("--new-key"))
    try workspace.succeed("init", "plain")
    let plain = try workspace.run("rekey", "plain", "--at-rest", "--new-key", "new")
    #expect(plain.status == 3)
    #expect(plain.errors.contains("not encrypted"))
  }

  @Test func `a key file that others can read is warned of on standard error`() throws {
    let text = try workspace.read("old")
    try workspace.write("shared", text)
    let result = try workspace.run("export", "d", "people", "--key", "shared")
    #expect(result.status == 0)
    #expect(result.errors.contains("shared"))
    #expect(result.errors.contains("chmod 600"))
    let own = try workspace.run("export", "d", "people", "--key", "old")
    #expect(!own.errors.contains("chmod"))
  }
}
