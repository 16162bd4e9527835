import Foundation
import TestSupport
import Testing

/// More partitions than the process may have files open.
@Suite struct DescriptorLimitTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  /// Runs the command, once for each verb, in a shell that allows 64 descriptors.
  private func run(_ arguments: String..., input: String = "") throws -> String {
    let limited = ["-c", "ulimit -n 64; exec \"$0\" \"$@\"", Workspace.executable] + arguments
    let name = arguments[0]
    let input = try workspace.write(name + ".in", Array(input.utf8))
    let process = try ChildProcess(
      path: "/bin/sh", arguments: limited, environment: [:], directory: workspace.path,
      input: input, output: workspace.path + "/" + name + ".out",
      errors: workspace.path + "/" + name + ".err")
    let status = process.wait()
    let errors = try workspace.read(name + ".err")
    #expect(status == 0, "\(arguments): \(errors)")
    return try workspace.read(name + ".out")
  }

  @Test func `two hundred partitions are written and read with 64 descriptors`() throws {
    let lines = (0..<600).map { "{\"id\":\"d\($0)\",\"part\":\"p\($0 % 200)\",\"v\":\($0)}" }
    _ = try run("init", "d")
    _ = try run(
      "import", "d", "c", "--partition-key", "part", "--index", "v",
      input: lines.joined(separator: "\n"))
    #expect(try run("find", "d", "c", "--where", "part == \"p7\"", "--count") == "3\n")
    let exported = try run("export", "d", "c").split(separator: "\n")
    #expect(exported.count == 600)
    #expect(try run("check", "d").contains("sound"))
    let files = try FileManager.default.subpathsOfDirectory(atPath: workspace.path + "/d")
    #expect(files.count { $0.contains("/shards/") } == 200)
  }
}
