/// What a process does until it is killed: the same for the same seed, so that another process
/// knows which state each step leaves.
package struct KillScript: Sendable {
  package static let collection = "notes"

  /// A document of the script.
  package struct Note: Codable, Equatable, Sendable {
    package var id: Int
    package var shard: String
    package var text: String
  }

  package enum Step: Sendable {
    /// Takes effect together: puts notes, and deletes where there is none.
    case write([Int: Note?])
    case sync
    case checkpoint
    case compact
    case reopen
    case index([String])
    case recreate
  }

  private var random: SeededGenerator
  private var serial = 0

  package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  package mutating func next() -> Step {
    serial += 1
    switch Int.random(in: 0..<100, using: &random) {
    case ..<60: return .write(writes(1))
    case ..<80: return .write(writes(Int.random(in: 2...9, using: &random)))
    case ..<86: return .sync
    case ..<89: return .checkpoint
    case ..<93: return .compact
    case ..<97: return .reopen
    case ..<99: return .index(serial % 2 == 0 ? ["shard"] : ["text", "shard"])
    default: return .recreate
    }
  }

  private mutating func writes(_ count: Int) -> [Int: Note?] {
    var writes: [Int: Note?] = [:]
    for number in 0..<count {
      let id = Int.random(in: 0..<40, using: &random)
      let isDeletion = Int.random(in: 0..<4, using: &random) == 0
      let size = Int.random(in: 1...200, using: &random)
      let text = String(repeating: "\(serial).\(number) ", count: size)
      writes.updateValue(
        isDeletion ? nil : Note(id: id, shard: "s\((id + serial) % 3)", text: text), forKey: id)
    }
    return writes
  }

  /// The state after the step.
  package static func apply(_ step: Step, to state: [Int: Note]) -> [Int: Note] {
    switch step {
    case .write(let writes):
      state.merging(writes.compactMapValues { $0 }) { $1 }
        .filter { writes[$0.key].map { $0 != nil } ?? true }
    case .recreate: [:]
    default: state
    }
  }
}
