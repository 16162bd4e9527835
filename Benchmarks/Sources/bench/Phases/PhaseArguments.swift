/// The command line of one phase.
struct PhaseArguments: Sendable {
  static let usage = """
    usage: bench ENGINE PHASE --folder FOLDER [--count N] [--seed N] [--writes N]
             [--shared-values] [--only METRIC,…]
           bench report --lines FILE --output FOLDER [--machine TEXT] [--date TEXT]
    engines: \(EngineName.allCases.map(\.rawValue).joined(separator: " "))
    phases: \(Phase.allCases.map(\.rawValue).joined(separator: " "))
    """

  let phase: Phase
  let context: PhaseContext

  init(_ arguments: [String]) throws {
    guard arguments.count >= 2, let engine = EngineName(rawValue: arguments[0]),
      let phase = Phase(rawValue: arguments[1])
    else { throw EngineError(Self.usage) }
    var count = 100_000
    var writes = 1000
    var seed: UInt64 = 1
    var folder = ""
    var source = UserSource()
    var only: Set<Metric> = []
    var rest = arguments.dropFirst(2)
    while let option = rest.popFirst() {
      switch option {
      case "--count": count = Int(rest.popFirst() ?? "") ?? 0
      case "--writes": writes = Int(rest.popFirst() ?? "") ?? 0
      case "--seed": seed = UInt64(rest.popFirst() ?? "") ?? 0
      case "--folder": folder = rest.popFirst() ?? ""
      case "--only":
        let names = (rest.popFirst() ?? "").split(separator: ",").map(String.init)
        only = Set(names.compactMap(Metric.init))
      case "--shared-values": source.sharesValues = true
      default: throw EngineError(Self.usage)
      }
    }
    guard count >= 1000, !folder.isEmpty else {
      throw EngineError("a phase needs a folder, and at least 1000 documents\n" + Self.usage)
    }
    self.phase = phase
    context = PhaseContext(
      engine: engine, folder: folder, count: count, writes: writes, source: source, seed: seed,
      recorder: Recorder(
        engine: engine.rawValue, count: count, sharesValues: source.sharesValues),
      only: only)
  }
}
