import NyaruEngine

/// Why a command ends before it is done: the status to exit with, and a message for people.
package struct CommandFailure: Error, Equatable, Sendable {
  package var code: ExitCode
  package var message: String

  package init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }

  /// A file that the arguments name does not open.
  static func cannotOpen(_ path: String, _ code: CInt) -> CommandFailure {
    CommandFailure(.usage, "cannot open \(path): \(ErrorText.message(for: code))")
  }

  /// A stream that fails while it is in use.
  static func io(_ action: String, _ code: CInt) -> CommandFailure {
    CommandFailure(.damage, "\(action) failed: \(ErrorText.message(for: code))")
  }
}
