import Glibc
import Testing

/// A program that was started with files as its standard streams.
final class ChildProcess {
  let processID: pid_t
  private var status: CInt?

  /// Starts the program at `path` in `directory`, with nothing but `environment` around it.
  init(
    path: String, arguments: [String], environment: [String: String], directory: String,
    input: String, output: String, errors: String
  ) throws {
    // `env` changes the directory and becomes the program, under the same process id.
    let env = "/usr/bin/env"
    let argv = unsafe ([env, "-C", directory, path] + arguments).map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe argv.forEach { unsafe free($0) }
      unsafe variables.forEach { unsafe free($0) }
    }
    let created = O_WRONLY | O_CREAT | O_APPEND
    unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output, created, 0o600)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, created, 0o600)
    var child: pid_t = 0
    let code = unsafe posix_spawn(&child, env, &actions, nil, argv, variables)
    try #require(code == 0, "starting \(path): error \(code)")
    processID = child
  }

  deinit {
    guard status == nil else { return }
    kill(processID, SIGKILL)
    _ = wait()
  }

  func send(_ signal: CInt) { kill(processID, signal) }

  var isRunning: Bool {
    guard status == nil else { return false }
    var code: CInt = 0
    guard unsafe waitpid(processID, &code, WNOHANG) == processID else { return true }
    status = code
    return false
  }

  /// Waits for the end; the exit status, or the negative number of the signal.
  func wait() -> CInt {
    var code = status ?? 0
    if status == nil {
      while unsafe waitpid(processID, &code, 0) < 0, errno == EINTR {}
      status = code
    }
    let signal = code & 0x7F
    return signal == 0 ? code >> 8 & 0xFF : -signal
  }
}
