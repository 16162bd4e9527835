/// The middle one of several values, with the smallest and the largest.
struct Summary: Codable, Sendable, Equatable {
  var median: Double
  var minimum: Double
  var maximum: Double
  var runs: Int

  /// The summary of values, of which there is at least one.
  init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    minimum = first
    maximum = last
    runs = sorted.count
  }
}

/// All summaries, by what was measured.
struct Summaries {
  /// One cell of the tables.
  struct Key: Hashable {
    var engine: String
    var count: Int
    var metric: Metric
    var sharesValues: Bool
  }

  private let values: [Key: Summary]
  let counts: [Int]

  init(_ measurements: [Measurement]) {
    let groups = Dictionary(grouping: measurements) {
      Key(
        engine: $0.engine, count: $0.count, metric: $0.metric,
        sharesValues: $0.sharesValues ?? false)
    }
    values = groups.compactMapValues { Summary($0.map(\.value)) }
    counts = Set(measurements.map(\.count)).sorted()
  }

  func summary(
    _ engine: EngineName, _ metric: Metric, count: Int, sharesValues: Bool = false
  ) -> Summary? {
    values[
      Key(engine: engine.rawValue, count: count, metric: metric, sharesValues: sharesValues)]
  }

  /// Everything, in the order of the tables.
  var all: [(key: Key, summary: Summary)] {
    let order = Dictionary(
      uniqueKeysWithValues: Metric.allCases.enumerated().map { ($0.element, $0.offset) })
    return values.map { ($0.key, $0.value) }.sorted {
      ($0.0.count, order[$0.0.metric] ?? 0, $0.0.engine, $0.0.sharesValues ? 1 : 0)
        < ($1.0.count, order[$1.0.metric] ?? 0, $1.0.engine, $1.0.sharesValues ? 1 : 0)
    }
  }
}
