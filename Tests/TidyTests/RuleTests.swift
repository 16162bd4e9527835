import Testing

/// Each rule finds the file that breaks it, and leaves the file beside it alone.
@Suite struct RuleTests {
  private func source(_ text: String, path: String = "Sources/Engine/Bytes/A.swift") -> SourceFile {
    SourceFile(path: path, text: text)
  }

  private func lines(_ count: Int) -> String {
    String(repeating: "let a = 1\n", count: count)
  }

  @Test func `a file above the limit is found`() {
    #expect(SizeRules.violations(in: source(lines(400))).isEmpty)
    #expect(SizeRules.violations(in: source(lines(401))) == ["401 lines"])
  }

  @Test func `a line above the limit is found`() {
    let line = "// " + String(repeating: "é", count: 97)
    #expect(SizeRules.violations(in: source(line)).isEmpty)
    #expect(SizeRules.violations(in: source(line + "é")) == ["line 1 has 101 columns"])
  }

  @Test(arguments: [
    "func a() {", "init(a: Int) {", "deinit {", "subscript(a: Int) -> Int {",
    "@inlinable public static func a<T>(\n  b: Int\n)\n  throws(IOError) -> Int\nwhere T: B {",
  ])
  func `a function above the limit is found`(start: String) {
    let body = 70 - start.split(separator: "\n").count - 1
    let fits = start + "\n" + lines(body) + "}\n"
    let exceeds = start + "\n" + lines(body + 1) + "}\n"
    #expect(SizeRules.violations(in: source(fits)).isEmpty)
    #expect(
      SizeRules.violations(in: source(exceeds)) == ["the function in line 1 has 71 lines"])
  }

  @Test func `braces in strings and comments and functions without a body do not count`() {
    let text = """
      protocol A {
        func a()
        func b() -> Int
      }
      func c() {
        let d = "{ \\(e("}")) {" // {
        let f = #"{"{"#
        /* { /* { */ { */
      }
      """
    let functions = CodeText(text).functions
    #expect(functions == [FunctionExtent(line: 5, length: 5)])
  }

  @Test(arguments: ["try" + "! a()", "a as" + "! B", "class A: @unch" + "ecked Sendable {}"])
  func `a banned word is found in code, and only there`(line: String) {
    #expect(WordRules.violations(in: source(line)).count == 1)
    #expect(WordRules.violations(in: source("// " + line)).isEmpty)
    #expect(WordRules.violations(in: source("let a = \"\(line)\"")).isEmpty)
  }

  @Test func `a library that prints is found`() {
    #expect(WordRules.violations(in: source("print(1)")) == ["print( in line 1"])
    #expect(WordRules.violations(in: source("blueprint(1)")).isEmpty)
    let command = source("print(1)", path: "Sources/nyaru-sync/main.swift")
    #expect(WordRules.violations(in: command).isEmpty)
  }

  @Test func `unsafe code outside of its folders is found`() {
    let text = "let a = unsafe b()"
    #expect(WordRules.violations(in: source(text)).isEmpty)
    let query = source(text, path: "Sources/Engine/Query/A.swift")
    #expect(WordRules.violations(in: query) == ["unsafe code in a folder that has none"])
  }

  @Test func `unfinished work and a machine's paths are found in any text`() {
    let page = SourceFile(path: "README.md", text: "See /ho" + "me/me. TO" + "DO")
    #expect(WordRules.violations(in: page).count == 2)
  }

  @Test func `a folder that looks up is found`() {
    let upper = source("package struct Shard {}", path: "Sources/Engine/Storage/Shard.swift")
    let lower = source("let a: Shard?", path: "Sources/Engine/Index/A.swift")
    let above = source("let a: Shard?", path: "Sources/Engine/Query/A.swift")
    let text = source("// Shard\nlet a = \"Shard\"", path: "Sources/Engine/Index/A.swift")
    #expect(
      LayerRules.violations(in: lower, among: [upper, lower])
        == ["uses Shard, which Sources/Engine/Storage/Shard.swift declares"])
    #expect(LayerRules.violations(in: above, among: [upper, above]).isEmpty)
    #expect(LayerRules.violations(in: text, among: [upper, text]).isEmpty)
  }

  @Test func `a module that looks up is found`() {
    let log = source("package import NyaruSyncHTTP", path: "Sources/SyncLog/A.swift")
    let http = source("package import NyaruSyncLog", path: "Sources/SyncHTTP/A.swift")
    #expect(LayerRules.violations(in: log, among: []) == ["imports NyaruSyncHTTP"])
    #expect(LayerRules.violations(in: http, among: []).isEmpty)
  }

  @Test func `Foundation below the values is found`() {
    let text = "import FoundationEssentials"
    #expect(LayerRules.violations(in: source(text), among: []) == ["imports FoundationEssentials"])
    let values = source(text, path: "Sources/Engine/Values/A.swift")
    #expect(LayerRules.violations(in: values, among: []).isEmpty)
  }

  @Test func `a type without a doc comment is found`() {
    let bare = source("final class A {}")
    let documented = source("/// An a.\n@nonexhaustive\npublic enum A {}")
    #expect(
      NameRules.violations(in: bare, sourceFolders: []) == ["A in line 1 has no doc comment"])
    #expect(NameRules.violations(in: documented, sourceFolders: []).isEmpty)
  }

  @Test func `a test that is no sentence is found`() {
    let text = "struct ATests {\n  @Test(arguments: [1])\n  func a() {}\n}"
    let file = source(text, path: "Tests/EngineTests/ATests.swift")
    #expect(
      NameRules.violations(in: file, sourceFolders: []) == ["line 3 names a test in no sentence"])
  }

  @Test func `a test file that mirrors nothing is found`() {
    let text = "struct ATests {\n  @Test func `a`() {}\n}"
    let folders: Set<String> = ["Engine/Bytes"]
    func violations(_ path: String) -> [String] {
      NameRules.violations(in: source(text, path: path), sourceFolders: folders)
    }
    #expect(violations("Tests/EngineTests/Bytes/ATests.swift").isEmpty)
    #expect(violations("Tests/EngineTests/Bytes/BTests.swift").count == 1)
    #expect(violations("Tests/EngineTests/Bite/ATests.swift").count == 1)
  }

  @Test func `comments weigh by lines`() {
    #expect(SizeRules.commentShare(of: [source("/// A\n/* b\n c */\n\nlet a = 1 // d\n")]) == 0.6)
  }
}
