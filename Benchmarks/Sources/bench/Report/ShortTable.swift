import FoundationEssentials

/// The table that stands on the project's first page, between two marks.
struct ShortTable {
  private static let start = "<!-- speed -->\n"
  private static let end = "<!-- /speed -->"
  private static let engines: [EngineName] = [.nyaru, .sqlite, .lmdb, .rocksdb]
  private static let metrics: [Metric] = [
    .bulkInsert, .unitInsert, .pointGet, .update, .unitDelete, .batchDelete, .all, .stream,
    .durableInsert, .durableInsertConcurrent, .compaction, .cleanOpen, .openAfterKill, .sizeLoaded,
    .sizeCompacted, .peakMemory,
  ]

  private let text: String

  init(_ summaries: Summaries, _ arguments: ReportArguments) {
    let count = summaries.counts.first { $0 == 100_000 } ?? summaries.counts.last ?? 0
    var table = MarkdownTable([""] + Self.engines.map(\.rawValue) + ["against sqlite"])
    for metric in Self.metrics {
      let cells = Self.engines.map { summaries.summary($0, metric, count: count) }
      let medians = cells.map { $0.map { Cell.number($0.median) } ?? "–" }
      let ratio = Self.ratio(metric, cells[0], cells[1])
      table.append(["\(metric.title), \(metric.unit.rawValue)"] + medians + [ratio])
    }
    text = """
      \(Cell.number(Double(count))) documents, medians of \(arguments.date):
      \(arguments.machine);
      \(arguments.versions).

      \(table.text)
      """
  }

  /// How many times better the first is.
  private static func ratio(_ metric: Metric, _ ours: Summary?, _ theirs: Summary?) -> String {
    guard let ours = ours?.median, let theirs = theirs?.median, ours > 0, theirs > 0 else {
      return "–"
    }
    return Cell.number(metric.unit.isRate ? ours / theirs : theirs / ours) + " ×"
  }

  /// Puts the table in the place of the one before.
  func replace(in page: URL) throws {
    let old = try String(contentsOf: page, encoding: .utf8)
    guard let start = old.firstRange(of: Self.start), let end = old.firstRange(of: Self.end),
      start.upperBound <= end.lowerBound
    else { throw EngineError("the page has no marks for the table") }
    let new = old[..<start.upperBound] + "\n" + text + "\n" + old[end.lowerBound...]
    try Data(String(new).utf8).write(to: page)
  }
}
