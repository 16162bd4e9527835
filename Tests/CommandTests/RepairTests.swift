import Foundation
import NyaruEngine
import Testing

/// `check --repair` keeps what reads, rebuilds what can be rebuilt, and says what it did.
@Suite struct RepairTests {
  private let workspace: Workspace

  /// A hundred documents in three partitions, and an index, closed.
  init() throws {
    workspace = try Workspace()
    try workspace.succeed("init", "d")
    let lines = (0..<100).map {
      "{\"key\":\"k\($0)\",\"place\":\"p\($0 % 3)\",\"word\":\"needle-\($0)-\"}"
    }
    try workspace.succeed(
      "import", "d", "My Words", "--id-field", "key", "--partition-key", "place", "--index",
      "word", input: lines.joined(separator: "\n"))
  }

  private func change(_ part: String, _ change: (inout Data) throws -> Void) throws -> String {
    let file = try #require(
      try workspace.contents(of: "d").first { ("/" + $0.name).contains(part) })
    var bytes = file.bytes
    try change(&bytes)
    try workspace.write("d/" + file.name, bytes)
    return file.name
  }

  private var all: [String] {
    get throws { try workspace.succeed("export", "d", "My Words").lines }
  }

  @Test func `a damaged record is told with its id, set aside, and lost alone`() throws {
    let file = try change("/shards/p2.") { bytes in
      let place = try #require(bytes.firstRange(of: Array("needle-50-".utf8)))
      bytes[place.lowerBound] ^= 0x20
    }
    let check = try workspace.run("check", "d")
    #expect(check.status == 9)
    #expect(check.output.contains("(document \"k50\")"), "\(check.output)")
    #expect(check.output.contains(file.split(separator: "/").last ?? ""))

    let repair = try workspace.run("check", "d", "--repair")
    #expect(repair.status == 1, "\(repair)")
    #expect(repair.output.contains("\"k50\" is lost"), "\(repair.output)")
    #expect(try workspace.contents(of: "d").contains { $0.name.contains("/quarantine/") })
    let again = try workspace.succeed("check", "d")
    #expect(again.output.contains("99 documents"))
    #expect(again.output.contains("quarantine holds 1 file"), "\(again.output)")
    #expect(try all.count == 99)
    #expect(try workspace.succeed("check", "d", "--repair").output.contains("sound"))
  }

  @Test(arguments: ["/head", "/checkpoint."])
  func `what can be rebuilt costs nothing`(part: String) throws {
    let before = try all
    _ = try change(part) { bytes in
      for index in bytes.indices where index % 7 == 0 { bytes[index] ^= 0x55 }
    }
    let repair = try workspace.run("check", "d", "--repair")
    #expect(repair.status == (part == "/head" ? 1 : 0), "\(repair)")
    #expect(repair.output.contains("repaired"), "\(repair.output)")
    try workspace.succeed("check", "d")
    #expect(try all == before)
  }

  @Test func `a collection manifest is found out from the documents`() throws {
    let before = try all
    _ = try change("/manifest") { $0[20] ^= 1 }
    #expect(try workspace.run("check", "d").status == 9)
    let repair = try workspace.succeed("check", "d", "--repair")
    #expect(repair.output.contains("id field key, partition key place"), "\(repair.output)")
    try workspace.succeed("check", "d")
    #expect(try all == before)
    #expect(try workspace.succeed("get", "d", "My Words", "k7").output.contains("needle-7-"))
    try workspace.succeed("put", "d", "My Words", input: "{\"key\":\"k7\",\"place\":\"p9\"}")
    #expect(try all.count == 100)
  }

  @Test func `a collection whose manifest cannot be found out is set aside whole`() throws {
    try workspace.succeed("init", "e")
    let shards = try workspace.contents(of: "d").filter { $0.name.contains("/shards/") }
    for shard in shards { try workspace.write("d/" + shard.name, [UInt8](repeating: 0, count: 70)) }
    _ = try change("/manifest") { $0[20] ^= 1 }
    let repair = try workspace.run("check", "d", "--repair")
    #expect(repair.status == 1)
    #expect(repair.output.contains("set aside as collections/+my%20+words.damaged."))
    #expect(try workspace.succeed("check", "d").output == "no collections\n")
    try workspace.succeed("put", "d", "My Words", input: "{\"id\":1}")
  }

  @Test func `a database manifest is made anew, and documents stay`() throws {
    let before = try all
    _ = try change("/database") { $0.removeLast(3) }
    #expect(try workspace.run("export", "d", "My Words").status == 9)
    #expect(try workspace.run("check", "d").status == 9)
    let repair = try workspace.run("check", "d", "--repair")
    #expect(repair.status == 1, "\(repair)")
    #expect(repair.output.contains("database.damaged"))
    try workspace.succeed("check", "d")
    #expect(try all == before)
    // As a new author it meets others, who get all of it.
    try workspace.succeed("init", "e")
    try workspace.succeed("sync", "e", "d", "--join")
    #expect(try workspace.succeed("export", "e", "My Words").lines.sorted() == before.sorted())
  }

  @Test func `the manifest of an encrypted database is not replaced`() throws {
    try workspace.succeed("key", "new", "k")
    try workspace.succeed("init", "s", "--key", "k")
    try workspace.succeed("put", "s", "c", "--key", "k", input: "{\"id\":1}")
    let whole = try workspace.contents(of: "s").first { $0.name == "database" }?.bytes
    var bytes = try #require(whole)
    bytes[30] ^= 1
    try workspace.write("s/database", bytes)
    let repair = try workspace.run("check", "s", "--repair", "--key", "k")
    #expect(repair.status == 9)
    #expect(repair.errors.contains("data key"), "\(repair.errors)")
    try workspace.write("s/database", try #require(whole))
    try workspace.succeed("check", "s", "--key", "k")
  }

  @Test func `a damaged peer is told and removed`() throws {
    try workspace.succeed("init", "e")
    try workspace.succeed("sync", "d", "e")
    _ = try change("/peer.") { $0[18] ^= 1 }
    let check = try workspace.run("check", "d")
    #expect(check.status == 9)
    #expect(check.output.contains("sync/peer."), "\(check.output)")
    #expect(try workspace.succeed("check", "d", "--repair").output.contains("is removed"))
    try workspace.succeed("check", "d")
    try workspace.succeed("sync", "d", "e")
  }
}
