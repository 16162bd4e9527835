import Foundation
import Testing

/// A byte that changes on the disk costs one document, and says so.
@Suite struct DamageTests {
  private let workspace: Workspace

  /// A hundred documents, closed cleanly, and then one byte of number 50 is another one.
  init() throws {
    workspace = try Workspace()
    try workspace.succeed("init", "d")
    try workspace.succeed("init", "e")
    let lines = (0..<100).map { "{\"id\":\($0),\"word\":\"needle-\($0)-\"}" }
    try workspace.succeed("import", "d", "c", input: lines.joined(separator: "\n"))
    try workspace.succeed("sync", "d", "e")
    let shard = try #require(
      try workspace.contents(of: "d").first { $0.name.contains("/shards/") })
    var bytes = shard.bytes
    let place = try #require(bytes.firstRange(of: Array("needle-50-".utf8)))
    bytes[place.lowerBound] ^= 0x20
    try workspace.write("d/" + shard.name, bytes)
  }

  @Test func `check names the place, and ends with status 9`() throws {
    let result = try workspace.run("check", "d", "--json")
    #expect(result.status == 9)
    let object = try result.object()
    #expect(object["sound"] as? Bool == false)
    let collections = try #require(object["collections"] as? [[String: Any]])
    #expect((collections[0]["damage"] as? [Any])?.count == 1)
    #expect(try workspace.run("check", "e").status == 0)
  }

  @Test func `everything else is delivered, and the loss is told`() throws {
    let export = try workspace.run("export", "d", "c")
    #expect(export.status == 9)
    #expect(export.lines.count == 99)
    #expect(export.errors.contains("50"), "\(export.errors)")
    let file = try workspace.run("export", "d", "c", "file.jsonl")
    #expect(file.status == 9)
    #expect(try workspace.read("file.jsonl") == export.output)

    let find = try workspace.run("find", "d", "c", "--where", "id >= 48 and id < 52")
    #expect(find.status == 9)
    #expect(find.lines.map { $0.prefix(9) } == ["{\"id\":48,", "{\"id\":49,", "{\"id\":51,"])
    let count = try workspace.run(
      "find", "d", "c", "--where", "word like \"needle-5%\"", "--count")
    #expect(count.status == 9)
    #expect(count.output == "10\n")  // 5 and 51 to 59
    #expect(try workspace.run("get", "d", "c", "50").status == 9)
    #expect(try workspace.run("get", "d", "c", "51").status == 0)
  }

  @Test func `nothing of it is taken for a deletion`() throws {
    try workspace.succeed("put", "d", "c", input: "{\"id\":100}")
    _ = try workspace.run("sync", "d", "e")
    #expect(try workspace.succeed("find", "e", "c", "--count").output == "101\n")
    #expect(try workspace.succeed("get", "e", "c", "50").output.contains("needle-50-"))
  }
}
