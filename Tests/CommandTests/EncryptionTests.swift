import Testing

/// Databases with a key.
@Suite struct EncryptionTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.succeed("key", "new", "k")
    try workspace.succeed("key", "new", "other")
    try workspace.succeed("init", "d", "--key", "k")
    try workspace.succeed(
      "put", "d", "people", "--key", "k",
      input: #"{"id":"identifier-1","name":"somebody in particular"}"#)
  }

  @Test func `nothing is readable in the files`() throws {
    let words = ["identifier-1", "somebody in particular", "people", "name"]
    for file in try workspace.contents(of: "d") {
      for word in words {
        #expect(file.bytes.firstRange(of: Array(word.utf8)) == nil, "\(word) in \(file.name)")
        #expect(!file.name.contains(word))
      }
    }
  }

  @Test(arguments: [
    ["get", "d", "people", "identifier-1"], ["export", "d", "people"], ["status", "d"],
    ["find", "d", "people"], ["conflicts", "d"], ["key", "export", "d"], ["check", "d"],
    ["delete", "d", "people", "identifier-1"],
  ])
  func `a missing or wrong key is refused before anything is read out`(
    arguments: [String]
  ) throws {
    for key in [[], ["--key", "other"]] {
      let result = try workspace.run(arguments + key, input: nil)
      #expect(result.status == 3)
      #expect(result.output == "")
    }
    let right = try workspace.run(
      arguments, input: nil, environment: ["NYARU_KEY_FILE": workspace.path + "/k"])
    #expect(right.status == 0, "\(right.errors)")
  }

  @Test func `a file that holds no key, or one of another kind, is named`() throws {
    try workspace.write("text", "hello\n")
    let key = try workspace.read("k")
    try workspace.write("typo", key.replacing(key.dropFirst(20).prefix(1), with: "1"))
    try workspace.write("vault", try workspace.succeed("key", "export", "d", "--key", "k").output)
    for file in ["text", "typo", "vault"] {
      let result = try workspace.run("status", "d", "--key", file)
      #expect(result.status == 3)
      #expect(result.errors.contains(file))
      #expect(!result.errors.contains(key.dropFirst(12).prefix(20)))
    }
    #expect(try workspace.run("status", "d", "--key", "missing").status == 2)
  }

  @Test func `an encrypted database syncs with one that has another key, or none`() throws {
    try workspace.succeed("init", "plain")
    try workspace.succeed("init", "e", "--key", "other")
    try workspace.succeed("sync", "d", "plain", "--key", "k")
    try workspace.succeed("sync", "d", "e", "--key", "k", "--peer-key", "other")
    let expected = try workspace.succeed("export", "d", "people", "--key", "k").output
    #expect(try workspace.succeed("export", "plain", "people").output == expected)
    #expect(try workspace.succeed("export", "e", "people", "--key", "other").output == expected)
  }
}
