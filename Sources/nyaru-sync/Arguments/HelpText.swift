/// What `help` prints.
package enum HelpText {
  package static let version = "nyaru-sync 0.1.0"

  /// The page on all commands.
  package static func overview() -> String {
    let width = CommandTable.all.map(\.verb.rawValue.count).max() ?? 0
    let commands = CommandTable.all.map { definition in
      "  " + padded(definition.verb.rawValue, to: width) + "  " + definition.summary
    }
    return """
      nyaru-sync keeps JSON documents in directories, and keeps directories equal.

      usage: nyaru-sync COMMAND [ARGUMENT…] [OPTION…]

      \(commands.joined(separator: "\n"))

      `nyaru-sync help COMMAND` tells more. Results go to standard output, messages to standard
      error. Commands that open an encrypted database take --key FILE or NYARU_KEY_FILE.

      exit status:
      \(ExitCode.allCases.map { "  \($0.rawValue)  \($0.explanation)" }.joined(separator: "\n"))
      """
  }

  /// The page on one command.
  package static func page(on definition: CommandDefinition) -> String {
    let labels = definition.allOptions.map(label)
    let width = labels.map(\.count).max() ?? 0
    let options = zip(definition.allOptions, labels).map { option, label in
      "  " + padded(label, to: width) + "  " + option.explanation
    }
    return """
      \(usage(of: definition))

      \(definition.discussion)

      \(options.joined(separator: "\n"))
      """
  }

  /// The forms of a command, the long ones in two lines.
  package static func usage(of definition: CommandDefinition) -> String {
    definition.forms.enumerated().map { index, form in
      let lines = form.split(separator: "\n").joined(separator: "\n         ")
      return (index == 0 ? "usage: " : "       ") + "nyaru-sync " + lines
    }.joined(separator: "\n")
  }

  /// What is printed for arguments that make no invocation.
  package static func complaint(_ error: UsageError) -> String {
    guard let verb = error.verb, let definition = CommandTable.definition(of: verb) else {
      return "nyaru-sync: \(error.message)\nSee `nyaru-sync help`."
    }
    return """
      nyaru-sync \(verb.rawValue): \(error.message)
      \(usage(of: definition))
      See `nyaru-sync help \(verb.rawValue)`.
      """
  }

  private static func label(of option: OptionName) -> String {
    let letter = option.letter.map { "-\($0), " } ?? ""
    return letter + "--" + option.rawValue + (option.argument.map { " " + $0 } ?? "")
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
