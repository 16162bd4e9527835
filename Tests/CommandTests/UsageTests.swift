import Testing
import nyaru_sync

/// What a person sees who types something wrong, or asks for help.
@Suite struct UsageTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test func `wrong arguments end with status 2 and say what is right`() throws {
    let result = try workspace.run("find", "d")
    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(
      result.errors.hasPrefix("nyaru-sync find: COLLECTION is missing\nusage: nyaru-sync find"))
  }

  @Test func `help and version go to standard output`() throws {
    #expect(try workspace.succeed("--version").output.hasPrefix("nyaru-sync "))
    #expect(try workspace.succeed("help").output.contains("  import "))
    #expect(try workspace.succeed("sync", "--help").output.hasPrefix("usage: nyaru-sync sync A B"))
    #expect(try workspace.run().status == 2)
  }

  @Test func `a key is printed alone, and is another one each time`() throws {
    let keys = try (0..<2).map { _ in try workspace.succeed("key", "new").output }
    #expect(keys[0] != keys[1])
    #expect(keys[0].hasPrefix("nyaru-key1-"))
    #expect(keys[0].split(whereSeparator: \.isWhitespace).count == 1)
  }

  @Test func `a key file is its owner's only, and is never replaced`() throws {
    try workspace.succeed("key", "new", "k")
    let key = try workspace.read("k")
    let result = try workspace.run("key", "new", "k")
    #expect(result.status == 2)
    #expect(try workspace.read("k") == key)
  }
}
