import Glibc
import Testing

/// A disk that is really full: a small file system in memory, which a process may mount for itself
/// alone if it is root; else a limit on the size of files.
@Suite struct FullDiskTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    let lines = (0..<40_000).map {
      "{\"id\":\($0),\"text\":\"\(String(repeating: "x", count: 90))\"}"
    }
    try workspace.write("documents", lines.joined(separator: "\n") + "\n")
  }

  /// Runs a script of the shell, in which `nyaru` is the command.
  private func shell(_ script: String, wrappedIn wrapper: [String] = []) throws -> CommandResult {
    let run = "set -u\nnyaru() { \"\(Workspace.executable)\" \"$@\"; }\n" + script
    try workspace.write("script", run)
    let errors = workspace.path + "/errors"
    let child = try ChildProcess(
      path: (wrapper + ["/bin/sh"])[0],
      arguments: Array((wrapper + ["/bin/sh"]).dropFirst())
        + ["script"], environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"],
      directory: workspace.path, input: "/dev/null", output: workspace.path + "/output",
      errors: errors)
    let status = child.wait()
    return CommandResult(
      status: status, output: try workspace.read("output"), errors: try workspace.read("errors"))
  }

  private static let mount = "mount -t tmpfs -o size=2m tmpfs disk"

  @Test func `a full disk is reported, can be read from, and goes on with more space`() throws {
    let mayMount = try shell(
      "mkdir disk && \(Self.mount)", wrappedIn: ["/usr/bin/unshare", "--mount"])
    guard mayMount.status == 0 else {
      print("no file system can be mounted here; a limit on the size of files takes its place")
      return try checkSizeLimit()
    }
    let result = try shell(
      """
      \(Self.mount)
      nyaru init disk/d >/dev/null
      echo '{"id":-1}' | nyaru put disk/d c
      nyaru import disk/d c documents 2>import.err; echo "import $?"
      cat /dev/zero >disk/filler 2>/dev/null
      nyaru export disk/d c first; echo "export $?"
      echo '{"id":-2}' | nyaru put disk/d c 2>put.err; echo "put $?"
      mount -o remount,size=32m disk
      nyaru export disk/d c second; echo "export $?"
      echo '{"id":-2}' | nyaru put disk/d c; echo "put $?"
      nyaru check disk/d; echo "check $?"
      nyaru import disk/d c documents --upsert --quiet; echo "import $?"
      nyaru find disk/d c --count
      """, wrappedIn: ["/usr/bin/unshare", "--mount"])
    let ends = result.lines.filter { $0.first?.isLetter ?? false && !$0.contains(":") }
    #expect(
      ends == ["import 9", "export 9", "put 9", "export 0", "put 0", "check 0", "import 0"],
      "\(result)")
    #expect(try workspace.read("import.err").contains("No space left"))
    #expect(try workspace.read("put.err").contains("No space left"))
    // Batches are whole, and the same with and without space.
    let first = try workspace.read("first")
    #expect(try workspace.read("second") == first)
    #expect(first.split(separator: "\n").count % 2000 == 1)
    #expect(result.lines.last == "40002")
  }

  private func checkSizeLimit() throws {
    let result = try shell(
      """
      nyaru init d >/dev/null
      echo '{"id":-1}' | nyaru put d c
      (trap '' XFSZ; ulimit -f 2048; nyaru import d c documents 2>import.err); echo "import $?"
      nyaru export d c first; echo "export $?"
      nyaru check d; echo "check $?"
      """)
    let ends = result.lines.filter { $0.first?.isLetter ?? false && !$0.contains(":") }
    #expect(ends == ["import 9", "export 0", "check 0"], "\(result)")
    #expect(try workspace.read("import.err").contains("File too large"))
    #expect(try workspace.read("first").split(separator: "\n").count % 2000 == 1)
  }
}
