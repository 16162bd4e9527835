/// What a value is to reach: so many times that of another engine in the same run, or a limit.
struct Target: Sendable {
  /// What the value is held against.
  enum Measure: Sendable {
    /// For a rate, at least so many times the other's; else at most so many times.
    case ratio(Double, of: Metric, by: EngineName)

    /// At most this much.
    case atMost(Double)
  }

  var metric: Metric
  var engine = EngineName.nyaru
  var measure: Measure

  init(_ metric: Metric, _ factor: Double, of other: EngineName, metric otherMetric: Metric? = nil)
  {
    self.metric = metric
    measure = .ratio(factor, of: otherMetric ?? metric, by: other)
  }

  init(_ metric: Metric, engine: EngineName = .nyaru, atMost limit: Double) {
    self.metric = metric
    self.engine = engine
    measure = .atMost(limit)
  }

  static let all: [Target] = [
    Target(.bulkInsert, 2, of: .sqlite), Target(.bulkInsert, 1, of: .lmdb),
    Target(.unitInsert, 6, of: .sqlite), Target(.unitInsert, 1, of: .rocksdb),
    Target(.pointGet, 2.5, of: .sqlite), Target(.pointGet, 1, of: .lmdb),
    Target(.update, 8, of: .sqlite), Target(.update, 2, of: .rocksdb),
    Target(.unitDelete, 8, of: .sqlite), Target(.unitDelete, 1.5, of: .rocksdb),
    Target(.batchDelete, 1 / 1.5, of: .lmdb),
    Target(.all, 1.5, of: .sqlite), Target(.stream, 1.5, of: .sqlite),
    Target(.durableInsert, 1, of: .sqlite),
    Target(.durableInsertConcurrent, 5, of: .sqlite, metric: .durableInsert),
    Target(.compaction, 0.5, of: .sqlite),
    Target(.cleanOpen, atMost: 2), Target(.openAfterKill, atMost: 10),
    Target(.openAfterLongTail, atMost: 60),
    Target(.sizeLoaded, 1.3, of: .sqlite), Target(.sizeCompacted, 1.3, of: .sqlite),
    Target(.sizeLoaded, 0.85, of: .sqlite).held(by: .nyaruGzip),
    Target(.sizeCompacted, 0.85, of: .sqlite).held(by: .nyaruGzip),
    Target(.peakMemoryLoading, 1, of: .sqlite), Target(.peakMemory, 1, of: .sqlite),
    Target(.streamMemory, atMost: 64), Target(.memoryPerDocument, atMost: 125),
    Target(.encode, atMost: 1), Target(.decode, atMost: 1.2),
  ]

  private func held(by engine: EngineName) -> Target {
    var copy = self
    copy.engine = engine
    return copy
  }
}

extension Target {
  /// Where the target stands.
  struct Standing {
    var value: Double
    var goal: String
    var isReached: Bool
  }

  /// The standing of medians, or nothing if one was not measured.
  func standing(in summaries: Summaries, count: Int) -> Standing? {
    guard let ours = summaries.summary(engine, metric, count: count)?.median else { return nil }
    switch measure {
    case .atMost(let limit):
      return Standing(
        value: ours, goal: "≤ \(Cell.number(limit)) \(metric.unit.rawValue)",
        isReached: ours <= limit)
    case .ratio(let factor, let otherMetric, let other):
      guard let theirs = summaries.summary(other, otherMetric, count: count)?.median else {
        return nil
      }
      let isRate = metric.unit.isRate
      let alone = otherMetric == metric ? "" : " alone"
      return Standing(
        value: ours / theirs,
        goal: "\(isRate ? "≥" : "≤") \(Cell.number(factor)) × \(other.rawValue)\(alone)",
        isReached: isRate ? ours / theirs >= factor : ours / theirs <= factor)
    }
  }
}
