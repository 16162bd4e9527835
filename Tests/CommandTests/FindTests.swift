import Testing

/// Queries on the command line.
@Suite struct FindTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.succeed("init", "d")
    let lines = [
      #"{"id":"a","n":3,"land":"BR","at":{"x":1}}"#, #"{"id":"b","n":1,"land":"PT"}"#,
      #"{"id":"c","n":2,"land":"BR","name":"\"q\""}"#, #"{"id":"d","n":"4"}"#,
      #"{"id":"e","n":null,"land":"AO"}"#,
    ]
    try workspace.succeed(
      "import", "d", "c", "--index", "land", input: lines.joined(separator: "\n"))
  }

  private func ids(_ arguments: String...) throws -> String {
    let result = try workspace.run(["find", "d", "c"] + arguments, input: nil)
    #expect(result.status == 0, "\(result.errors)")
    return result.lines.compactMap { $0.dropFirst(7).first.map(String.init) }.joined()
  }

  @Test(arguments: [
    ("n < 3", "bc"), ("n >= 2 and land == \"BR\"", "ac"), ("land in (\"PT\", \"AO\")", "be"),
    ("not exists land", "d"), ("exists n", "abcde"), ("n == \"4\"", "d"), ("n == null", "e"),
    ("at.x == 1.0", "a"), ("name == \"\\\"q\\\"\"", "c"), ("land like \"%R\"", "ac"),
    ("(n == 1 or n == 2) and not land == \"BR\"", "b"),
  ])
  func `an expression selects`(expression: String, expected: String) throws {
    #expect(try ids("--where", expression) == expected)
  }

  @Test func `order, page and count`() throws {
    #expect(try ids() == "abcde")
    #expect(try ids("--where", "n < 9", "--sort", "n") == "bca")
    #expect(try ids("--where", "n < 9", "--sort", "n:desc") == "acb")
    #expect(try ids("--sort", "land", "--sort", "n:desc", "--offset", "1", "--limit", "3") == "eac")
    #expect(try ids("--limit", "0") == "")
    let count = try workspace.succeed("find", "d", "c", "--where", "land == \"BR\"", "--count")
    #expect(count.output == "2\n")
  }

  @Test func `a wrong expression is shown with a caret`() throws {
    let result = try workspace.run("find", "d", "c", "--where", "n <> 3")
    #expect(result.status == 2)
    #expect(result.errors.contains("n <> 3\n"))
    #expect(result.errors.contains("^"))
  }

  @Test func `delete names what was not there`() throws {
    let result = try workspace.run("delete", "d", "c", "a", "zz", "b")
    #expect(result.status == 1)
    #expect(result.errors.contains("zz"))
    #expect(try ids() == "cde")
  }
}
