import FoundationEssentials

/// Prints measurements, each as one line of JSON.
struct Recorder {
  let engine: String
  let count: Int
  let sharesValues: Bool

  /// So many operations took what the watch shows.
  func record(_ metric: Metric, operations: Int, _ watch: Stopwatch) throws {
    let count = Double(operations)
    let value =
      switch metric.unit {
      case .perSecond: count / watch.seconds
      case .microseconds: watch.seconds * 1e6 / count
      default: watch.seconds * 1e3
      }
    try write(metric, value, processorMicroseconds: watch.processorSeconds * 1e6 / count)
  }

  /// So many bytes.
  func record(_ metric: Metric, bytes: Int) throws {
    let value =
      switch metric.unit {
      case .megabytes: Double(bytes) / 1e6
      case .mebibytes: Double(bytes) / 0x1p20
      default: Double(bytes)
      }
    try write(metric, value)
  }

  func record(_ metric: Metric, value: Double) throws { try write(metric, value) }

  private func write(
    _ metric: Metric, _ value: Double, processorMicroseconds: Double? = nil
  ) throws {
    let measurement = Measurement(
      engine: engine, count: count, metric: metric, value: value,
      processorMicroseconds: processorMicroseconds, sharesValues: sharesValues ? true : nil)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let line = try encoder.encode(measurement) + Data("\n".utf8)
    try StandardOutput.write(line)
  }
}
