/// Arguments that make no invocation, with what to write instead.
package struct UsageError: Error, Equatable, Sendable {
  package var message: String

  /// The command whose usage helps, as far as it was recognised.
  package var verb: Verb?

  package init(_ message: String, verb: Verb? = nil) {
    self.message = message
    self.verb = verb
  }
}
