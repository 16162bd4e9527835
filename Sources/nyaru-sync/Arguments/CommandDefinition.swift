/// What the help says about a command, and which options it takes.
package struct CommandDefinition: Sendable {
  package var verb: Verb

  /// The forms of the command, without the program's name.
  package var forms: [String]

  /// One line, for the list of commands.
  package var summary: String

  /// A few sentences on what holds when it returns.
  package var discussion: String

  /// What it takes besides `--help`, `--json` and `--quiet`.
  package var options: [OptionName]

  /// The operands that have to be there.
  package var required: [String]

  /// The operands that may follow; a name that ends in `…` takes any number.
  package var optional: [String]

  package var acceptsJSON: Bool

  init(
    _ verb: Verb, _ forms: String..., summary: String, discussion: String,
    options: [OptionName] = [], required: [String] = [], optional: [String] = [],
    acceptsJSON: Bool = true
  ) {
    self.verb = verb
    self.forms = forms
    self.summary = summary
    self.discussion = discussion
    self.options = options
    self.required = required
    self.optional = optional
    self.acceptsJSON = acceptsJSON
  }

  package var allOptions: [OptionName] {
    options + (acceptsJSON ? [.json] : []) + [.quiet, .help]
  }
}
