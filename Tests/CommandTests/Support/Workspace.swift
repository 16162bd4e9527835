import Foundation
import Testing

/// What a command printed, and how it ended.
struct CommandResult {
  var status: CInt
  var output: String
  var errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The output as one JSON value.
  func json() throws -> Any {
    try JSONSerialization.jsonObject(with: Data(output.utf8), options: [.fragmentsAllowed])
  }

  func object() throws -> [String: Any] {
    try #require(try json() as? [String: Any], "no object: \(output)")
  }
}

/// A temporary directory in which the built command runs; it goes with the value.
final class Workspace {
  let path: String
  private var runs = 0

  init() throws {
    path = NSTemporaryDirectory() + "nyaru-command-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The executable beside the test bundle.
  static let executable: String = {
    let bundle =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().path + "/nyaru-sync"
  }()

  /// Runs the command to its end.
  @discardableResult
  func run(
    _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
  ) throws -> CommandResult {
    try run(arguments, input: input.map { Array($0.utf8) }, environment: environment)
  }

  /// Runs the command, which must end with status 0.
  @discardableResult
  func succeed(
    _ arguments: String..., input: String? = nil, environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> CommandResult {
    let result = try run(
      arguments, input: input.map { Array($0.utf8) }, environment: environment)
    #expect(
      result.status == 0, "\(arguments): \(result.errors)", sourceLocation: sourceLocation)
    return result
  }

  func run(
    _ arguments: [String], input: [UInt8]?, environment: [String: String] = [:]
  ) throws -> CommandResult {
    let child = try start(arguments, input: input, environment: environment)
    let status = child.process.wait()
    return CommandResult(
      status: status, output: try read(child.output), errors: try read(child.errors))
  }

  /// Starts the command, and leaves it running; returns the names of what it writes to.
  func start(
    _ arguments: [String], input: [UInt8]? = nil, environment: [String: String] = [:]
  ) throws -> (process: ChildProcess, output: String, errors: String) {
    runs += 1
    let output = "run-\(runs).out"
    let errors = "run-\(runs).err"
    var inputPath = "/dev/null"
    if let input {
      inputPath = try write("run-\(runs).in", input)
    }
    let process = try ChildProcess(
      path: Self.executable, arguments: arguments, environment: environment, directory: path,
      input: inputPath, output: path + "/" + output, errors: path + "/" + errors)
    return (process, output, errors)
  }

  /// Starts the command, and waits for the first line that it prints.
  func startAndRead(
    _ arguments: [String]
  ) throws -> (process: ChildProcess, line: String, errors: String) {
    runs += 1
    let output = path + "/run-\(runs).out"
    let errors = "run-\(runs).err"
    let pipe = try NamedPipe(output, forReading: true)
    let process = try ChildProcess(
      path: Self.executable, arguments: arguments, environment: [:], directory: path,
      input: "/dev/null", output: output, errors: path + "/" + errors)
    let line = try pipe.readLine()
    let complaint = try read(errors)
    return (process, try #require(line, "it ended: \(complaint)"), errors)
  }

  func copy(_ name: String, to copy: String) throws {
    try FileManager.default.copyItem(atPath: path + "/" + name, toPath: path + "/" + copy)
  }

  /// Writes a file, and returns its whole path.
  @discardableResult
  func write(_ name: String, _ bytes: some Collection<UInt8>) throws -> String {
    let file = path + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  func write(_ name: String, _ text: String) throws {
    try write(name, Array(text.utf8))
  }

  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)), as: UTF8.self)
  }

  /// The contents of all files below a directory.
  func contents(of directory: String) throws -> [(name: String, bytes: Data)] {
    let root = path + "/" + directory
    return try FileManager.default.subpathsOfDirectory(atPath: root).compactMap { name in
      var isDirectory: ObjCBool = false
      guard
        unsafe FileManager.default.fileExists(atPath: root + "/" + name, isDirectory: &isDirectory),
        !isDirectory.boolValue
      else { return nil }
      return (name, try Data(contentsOf: URL(fileURLWithPath: root + "/" + name)))
    }
  }
}
