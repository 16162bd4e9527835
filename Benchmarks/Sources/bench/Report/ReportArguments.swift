/// The command line of a report.
struct ReportArguments: Sendable {
  /// The file with what the phases printed.
  var lines = ""

  /// Where the results are written; they are only printed without.
  var output: String?

  /// The page whose short table is put in place.
  var page: String?
  var machine = ""
  var versions = ""
  var date = ""

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      let value = rest.popFirst() ?? ""
      switch option {
      case "--lines": lines = value
      case "--output": output = value
      case "--page": page = value
      case "--machine": machine = value
      case "--versions": versions = value
      case "--date": date = value
      default: throw EngineError(PhaseArguments.usage)
      }
    }
    guard !lines.isEmpty else { throw EngineError(PhaseArguments.usage) }
  }
}
