import Glibc

/// What the command asks of the process that it runs in.
enum ProcessEnvironment {
  /// The variables that the command heeds.
  private static let names = [
    "NYARU_KEY_FILE", "NYARU_NEW_KEY_FILE", "NYARU_TOKEN_FILE", "NO_COLOR", "TERM",
  ]

  static var variables: [String: String] {
    var found: [String: String] = [:]
    for name in names {
      if let value = unsafe getenv(name) { found[name] = unsafe String(cString: value) }
    }
    return found
  }

  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes a message in one call, so that lines of two processes do not mix.
  static func writeError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  static func exit(_ code: ExitCode) -> Never { Glibc.exit(code.rawValue) }

  /// A client that goes away in the middle of an answer is no reason to die.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
