import Testing

/// What goes in comes out, exactly; and what is wrong is named and leaves no trace.
@Suite struct ImportTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.succeed("init", "d")
  }

  private func export(_ collection: String = "c") throws -> String {
    try workspace.succeed("export", "d", collection).output
  }

  private static let exactLines = [
    #"{"id":-9223372036854775808,"smallest":-9223372036854775808}"#,
    #"{"id":1,"kind":"a number"}"#,
    #"{"id":9223372036854775807}"#,
    #"{"id":18446744073709551615,"largest":18446744073709551615}"#,
    #"{"id":""}"#,
    #"{"id":" "}"#,
    #"{"id":".."}"#,
    #"{"id":"1","kind":"a string"}"#,
    #"{"id":"a","zero":-0.0,"tenth":0.1,"third":0.3333333333333333,"tiny":5e-324}"#,
    #"{"id":"a/b","nested":{"list":[1,[],{},null,true,false,"x"]},"empty":""}"#,
    #"{"id":"e\u0301","note":"two scalars"}"#,
    #"{"id":"é","note":"one scalar"}"#,
    #"{"id":"👩‍🚀","flag":"🇧🇷"}"#,
  ]

  @Test func `values come back exactly, in the order of their ids`() throws {
    let long = String(repeating: "x", count: 1024)
    let lines = Self.exactLines.map { $0.replacing("\\u0301", with: "\u{301}") }
    let ordered =
      lines.filter { !$0.contains("é") && !$0.contains("👩‍🚀") } + [
        lines[10], #"{"id":"\#(long)"}"#, lines[11], lines[12],
      ]
    let input = ordered.shuffled().joined(separator: "\n")
    try workspace.succeed("import", "d", "c", input: input)
    #expect(try export() == ordered.joined(separator: "\n") + "\n")
  }

  @Test func `an export can be imported, and gives the same export`() throws {
    let numbers = "{\"id\":1,\"a\":[1e308,-1.5e-7,123456789012345.6,1E2,0.1e1,100]}"
    try workspace.succeed("put", "d", "c", input: numbers)
    let first = try export()
    try workspace.write("first.jsonl", first)
    try workspace.succeed("import", "d", "e", "first.jsonl")
    #expect(try export("e") == first)
  }

  @Test func `an id that is a number and one that is its text are two`() throws {
    try workspace.succeed("put", "d", "c", input: #"{"id":1,"is":"number"}{"id":"2","is":"text"}"#)
    #expect(try workspace.succeed("get", "d", "c", "1").output == #"{"id":1,"is":"number"}"# + "\n")
    try workspace.succeed("put", "d", "c", input: #"{"id":"1","is":"text"}"#)
    #expect(try workspace.succeed("get", "d", "c", "1").output == #"{"id":"1","is":"text"}"# + "\n")
    try workspace.succeed("delete", "d", "c", "1")
    #expect(try workspace.succeed("get", "d", "c", "1").output == #"{"id":1,"is":"number"}"# + "\n")
    let result = try workspace.run("get", "d", "c", "3")
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.errors.contains("3"))
  }

  @Test(arguments: [
    ("{\"id\":1,\"a\":}", "byte 13"),
    ("{\"id\":1,\"id\":2}", "byte"),
    ("{\"id\":1} x", "byte 10"),
    ("[1]", "byte 1"),
    ("{\"id\":1", "byte"),
    ("{\"id\":\"a\nb\"}", "byte"),
    ("{\"a\":1}", "id"),
    ("{\"id\":null}", "id"),
    ("{\"id\":[1]}", "id"),
    ("{\"id\":0}", "0"),
    ("{\"id\":\"\(String(repeating: "x", count: 1025))\"}", "1024"),
    (
      "{\"id\":1,\"a\":\(String(repeating: "[", count: 200))\(String(repeating: "]", count: 200))}",
      "128"
    ),
  ])
  func `a wrong line is named, and nothing of its batch is written`(
    line: String, reason: String
  ) throws {
    let result = try workspace.run(
      "import", "d", "c", input: "{\"id\":-1}\n\n{\"id\":0}\n\(line)\n{\"id\":5}\n")
    #expect(result.status == 1)
    #expect(result.errors.contains("line 4: "), "\(result.errors)")
    #expect(result.errors.contains(reason), "\(result.errors)")
    #expect(try export() == "")
  }

  @Test func `invalid UTF-8 is refused with its place`() throws {
    let bytes = Array("{\"id\":1}\n{\"id\":2,\"a\":\"".utf8) + [0xC3, 0x28] + Array("\"}\n".utf8)
    let result = try workspace.run(["import", "d", "c"], input: bytes)
    #expect(result.status == 1)
    #expect(result.errors.contains("line 2: "), "\(result.errors)")
    #expect(try export() == "")
  }

  @Test func `whole batches before a wrong line stay`() throws {
    let lines = (0..<5000).map { "{\"id\":\($0)}" } + ["{}"]
    let result = try workspace.run("import", "d", "c", input: lines.joined(separator: "\n"))
    #expect(result.status == 1)
    #expect(result.errors.contains("line 5001"))
    let count = try #require(Int(try workspace.succeed("find", "d", "c", "--count").lines[0]))
    #expect(count > 0 && count < 5000)
    #expect(result.errors.contains("\(count)"), "\(result.errors)")
    let rest = lines.dropLast().joined(separator: "\n")
    #expect(try workspace.run("import", "d", "c", input: rest).status == 1)
    try workspace.succeed("import", "d", "c", "--upsert", input: rest)
    #expect(try workspace.succeed("find", "d", "c", "--count").output == "5000\n")
  }

  @Test func `an existing id is refused, unless it may be replaced`() throws {
    try workspace.succeed("import", "d", "c", input: "{\"id\":\"a\",\"n\":1}")
    let result = try workspace.run("import", "d", "c", input: "{\"id\":\"b\"}\n{\"id\":\"a\"}")
    #expect(result.status == 1)
    #expect(result.errors.contains("line 2: "), "\(result.errors)")
    try workspace.succeed("import", "d", "c", "--upsert", input: "{\"id\":\"a\",\"n\":2}")
    #expect(try export() == "{\"id\":\"a\",\"n\":2}\n")
  }

  @Test func `of documents with one id the last stays, wherever they stand`() throws {
    let lines = (0..<5000).map { "{\"id\":\($0 % 7),\"n\":\($0)}" }
    try workspace.succeed("put", "d", "c", input: lines.joined(separator: "\n"))
    let expected = (4993..<5000).map { "{\"id\":\($0 % 7),\"n\":\($0)}" }.sorted()
    #expect(try export() == expected.joined(separator: "\n") + "\n")
    let twice = try workspace.run("import", "d", "e", input: "{\"id\":1}\n{\"id\":2}\n{\"id\":1}")
    #expect(twice.status == 1)
    #expect(twice.errors.contains("line 3: "), "\(twice.errors)")
  }

  @Test func `a collection keeps its shape`() throws {
    try workspace.succeed(
      "import", "d", "c", "--id-field", "code", "--partition-key", "land", "--index", "n,a.b",
      input: "{\"code\":7,\"land\":\"BR\",\"n\":1}\n{\"code\":8,\"land\":\"a/b\"}\n{\"code\":9}")
    try workspace.succeed("import", "d", "c", input: "{\"code\":10,\"land\":\"BR\"}")
    #expect(try workspace.run("import", "d", "c", input: "{\"id\":11}").status == 1)
    let other = try workspace.run("import", "d", "c", "--id-field", "id", input: "{\"id\":11}")
    #expect(other.status == 2)
    #expect(other.errors.contains("code"))
    #expect(try workspace.succeed("find", "d", "c", "--count").output == "4\n")
  }

  @Test func `names may be anything`() throws {
    for name in ["", "..", "a/b", "Users", "users", "é", "e\u{301}", "👩‍🚀", ".", "x y"] {
      try workspace.succeed("put", "d", name, input: "{\"id\":1,\"of\":\"\(name)\"}")
    }
    for name in ["", "..", "a/b", "Users", "users", "é", "e\u{301}", "👩‍🚀", ".", "x y"] {
      #expect(try export(name) == "{\"id\":1,\"of\":\"\(name)\"}\n")
    }
  }

  @Test func `what is not there is named, and not made`() throws {
    for arguments in [
      ["export", "nowhere", "c"], ["import", "nowhere", "c"], ["status", "nowhere"],
      ["sync", "d", "nowhere"],
    ] {
      let result = try workspace.run(arguments, input: nil)
      #expect(result.status == 2)
      #expect(result.errors.contains("nowhere"), "\(result.errors)")
    }
    #expect(try workspace.run("export", "d", "none").status == 2)
    #expect(try workspace.run("import", "d", "none", "nofile").status == 2)
    #expect(
      try workspace.succeed("status", "d", "--json").object()["collections"] as? [String] == [])
    #expect(try workspace.run("init", "d").status == 2)
  }
}
