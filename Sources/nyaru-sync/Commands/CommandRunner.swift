/// Carries out actions. Each family of commands is an extension in a file of its own.
struct CommandRunner: Sendable {
  let console: Console

  /// Does it, and says with which status to end.
  func run(_ action: Action) async throws -> ExitCode {
    switch action {
    case .showHelp(let verb): try showHelp(verb)
    case .showVersion: try console.data(HelpText.version)
    case .newKey(let output): try newKey(output: output)
    default: throw CommandFailure(.usage, "not yet")
    }
    return .clean
  }

  private func showHelp(_ verb: Verb?) throws {
    try console.data(
      verb.flatMap(CommandTable.definition).map(HelpText.page) ?? HelpText.overview())
  }
}
