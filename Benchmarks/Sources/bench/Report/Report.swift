import FoundationEssentials

/// Makes tables and one JSON file out of what all processes printed.
enum Report {
  static func write(_ arguments: ReportArguments) throws {
    let decoder = JSONDecoder()
    let lines = try Data(contentsOf: URL(filePath: arguments.lines))
    let measurements = try lines.split(separator: 0x0A).map {
      try decoder.decode(Measurement.self, from: Data($0))
    }
    let summaries = Summaries(measurements)
    var text = "# Benchmarks\n\n\(arguments.date). \(arguments.machine). \(arguments.versions).\n"
    text += "Medians of all runs, with the smallest and the largest in brackets.\n"
    for count in summaries.counts {
      text += "\n## \(Cell.number(Double(count))) documents\n\n"
      text += table(summaries, count: count)
      let targets = targetTable(summaries, count: count)
      if !targets.isEmpty { text += "\n### Targets\n\n" + targets.text }
    }
    let growth = growthTable(summaries)
    if !growth.isEmpty { text += "\n## Growth\n\n" + growth.text }
    try StandardOutput.write(Data(text.utf8))
    if let page = arguments.page {
      try ShortTable(summaries, arguments).replace(in: URL(filePath: page))
    }
    guard let output = arguments.output else { return }
    try Data(text.utf8).write(to: URL(filePath: output + "/results.md"))
    try json(summaries, arguments).write(to: URL(filePath: output + "/results.json"))
  }

  private static func table(_ summaries: Summaries, count: Int) -> String {
    let engines = EngineName.allCases.filter { engine in
      Metric.allCases.contains { summaries.summary(engine, $0, count: count) != nil }
    }
    var table = MarkdownTable([""] + engines.map(\.rawValue))
    for metric in Metric.allCases {
      let cells = engines.map { summaries.summary($0, metric, count: count) }
      guard cells.contains(where: { $0 != nil }) else { continue }
      table.append(["\(metric.title), \(metric.unit.rawValue)"] + cells.map(Cell.text))
    }
    return table.text
  }

  private static func targetTable(_ summaries: Summaries, count: Int) -> MarkdownTable {
    var table = MarkdownTable(["", "engine", "measured", "target", ""])
    for target in Target.all {
      guard let standing = target.standing(in: summaries, count: count) else { continue }
      table.append([
        target.metric.title, target.engine.rawValue, Cell.number(standing.value), standing.goal,
        standing.isReached ? "yes" : "no",
      ])
    }
    return table
  }

  /// Our own rates at every count, and with one value shared by all documents.
  private static func growthTable(_ summaries: Summaries) -> MarkdownTable {
    let metrics: [Metric] = [
      .bulkInsert, .unitInsert, .pointGet, .update, .unitDelete, .stream, .cleanOpen,
      .streamMemory, .memoryPerDocument,
    ]
    let variants = [false, true].flatMap { shared in
      summaries.counts.filter { count in
        summaries.summary(.nyaru, .unitInsert, count: count, sharesValues: shared) != nil
      }.map { (count: $0, shared: shared) }
    }
    var table = MarkdownTable(
      [""]
        + variants.map { Cell.number(Double($0.count)) + ($0.shared ? ", one value" : "") })
    guard variants.count > 1 else { return table }
    for metric in metrics {
      let cells = variants.map {
        summaries.summary(.nyaru, metric, count: $0.count, sharesValues: $0.shared)
      }
      table.append(["\(metric.title), \(metric.unit.rawValue)"] + cells.map(Cell.text))
    }
    return table
  }

  private static func json(_ summaries: Summaries, _ arguments: ReportArguments) throws -> Data {
    let results = Results(
      date: arguments.date, machine: arguments.machine, versions: arguments.versions,
      rows: summaries.all.map { key, summary in
        Results.Row(
          engine: key.engine, count: key.count, metric: key.metric, unit: key.metric.unit.rawValue,
          sharesValues: key.sharesValues, summary: summary)
      })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(results) + Data("\n".utf8)
  }
}

/// The results as they are kept.
struct Results: Codable {
  /// One cell of a table.
  struct Row: Codable {
    var engine: String
    var count: Int
    var metric: Metric
    var unit: String
    var sharesValues: Bool
    var summary: Summary
  }

  var date: String
  var machine: String
  var versions: String
  var rows: [Row]
}
