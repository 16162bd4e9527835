/// Where results and messages go: results to standard output, messages to standard error.
package struct Console: Sendable {
  /// Results are JSON.
  package var isJSON: Bool

  /// No progress, no summaries.
  package var isQuiet: Bool

  /// Messages go to a terminal that can move its cursor.
  package var isTerminal: Bool

  /// Messages may have colours.
  package var hasColors: Bool

  init(_ invocation: Invocation, environment: [String: String], isErrorTerminal: Bool) {
    isJSON = invocation.isJSON
    isQuiet = invocation.isQuiet
    isTerminal = isErrorTerminal && environment["TERM"] != "dumb"
    hasColors = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
  }

  /// A result.
  func data(_ text: String) throws(CommandFailure) {
    let sink = try ByteSink(.standard)
    try sink.write(line: text)
    try sink.finish()
  }

  /// A result: one line of JSON where that was asked for, else the text.
  func result(_ json: JSONOutput, text: @autoclosure () -> String) throws(CommandFailure) {
    try data(isJSON ? json.line : text())
  }

  /// What was done, for people: on standard error, as results go to standard output.
  func note(_ text: String) {
    if !isQuiet { ProcessEnvironment.writeError(text + "\n") }
  }

  /// What went wrong.
  func complain(_ text: String) {
    let label = hasColors ? "\u{1B}[31mnyaru-sync:\u{1B}[0m " : "nyaru-sync: "
    ProcessEnvironment.writeError(label + text + "\n")
  }
}
