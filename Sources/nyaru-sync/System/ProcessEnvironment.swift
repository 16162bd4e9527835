import Dispatch
import Glibc

/// What the command asks of the process that it runs in.
enum ProcessEnvironment {
  /// The variables that the command heeds.
  private static let names = ["NYARU_KEY_FILE", "NYARU_TOKEN_FILE", "NO_COLOR", "TERM"]

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

  /// The current directory's name for `path`, without links and dots; nil where nothing is there.
  static func resolved(_ path: String) -> String? {
    guard let text = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  /// Returns when SIGTERM or SIGINT arrives. From the call on neither ends the process.
  static func termination() async {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
    for await _ in signals { break }
    for source in sources { source.cancel() }
  }

  /// A client that goes away in the middle of an answer is no reason to die.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
