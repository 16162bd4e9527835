import Glibc
import Testing

/// One owner at a time, also when the owner dies.
@Suite struct OwnershipTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.succeed("init", "d")
  }

  /// Starts an import that waits for more input once it has read `lines`.
  ///
  /// A pipe holds 64 KiB. So when all is written, the import has read all but the last 64 KiB, and
  /// it reads on only after the batches in what it read are written.
  private func importHalf(_ lines: Range<Int>) throws -> (ChildProcess, NamedPipe) {
    let pipe = try NamedPipe(workspace.path + "/pipe", forReading: false)
    let child = try workspace.start(["import", "d", "c", "pipe"])
    try pipe.write(lines.map { "{\"id\":\($0),\"text\":\"\(String(repeating: "x", count: 90))\"}" })
    return (child.process, pipe)
  }

  @Test func `a second process is told who has the database`() throws {
    let (first, pipe) = try importHalf(0..<3000)
    defer { extendLifetime(pipe) }  // Closed, it would be the end of the input.
    let second = try workspace.run("status", "d")
    #expect(second.status == 8)
    #expect(second.errors.contains("\(first.processID)"), "\(second.errors)")
    first.send(SIGTERM)
    #expect(first.wait() == -SIGTERM)
    try workspace.succeed("status", "d")
  }

  @Test func `kill -9 in the middle of an import loses no batch that was written`() throws {
    let (child, pipe) = try importHalf(0..<10_000)
    defer { extendLifetime(pipe) }
    child.send(SIGKILL)
    #expect(child.wait() == -SIGKILL)
    let count = try #require(Int(try workspace.succeed("find", "d", "c", "--count").lines[0]))
    #expect(count >= 6000 && count <= 10_000 && count % 2000 == 0, "\(count) documents")
    try workspace.succeed("check", "d")

    let all = (0..<10_000).map { "{\"id\":\($0)}" }.joined(separator: "\n")
    try workspace.succeed("import", "d", "c", "--upsert", input: all)
    let exported = try workspace.succeed("export", "d", "c").output
    #expect(exported == all + "\n")
  }
}
