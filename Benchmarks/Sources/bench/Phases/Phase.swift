/// A part of the workload that runs in a process of its own.
enum Phase: String, CaseIterable, Sendable {
  /// Fills a new store in batches.
  case load

  /// Opens the store and reads one user.
  case open

  /// The same after the process before was killed behind a few, or many, writes.
  case openAfterKill = "open-after-kill"
  case openAfterLongTail = "open-after-long-tail"

  /// Writes, and kills itself.
  case kill

  /// Reads, writes and compacts the loaded store.
  case use

  /// Writes whose return means that they are on the disk, into a new store.
  case durable

  /// Encodes and decodes without a store.
  case codec
}

/// What a phase works on.
struct PhaseContext: Sendable {
  let engine: EngineName
  let folder: String

  /// How many users are loaded.
  let count: Int

  /// How many writes come before the kill.
  let writes: Int
  let source: UserSource
  let seed: UInt64
  let recorder: Recorder

  /// What the phase of all uses is confined to, for a profile of one thing; empty for everything.
  let only: Set<Metric>

  func isWanted(_ metrics: Metric...) -> Bool {
    only.isEmpty || !only.isDisjoint(with: metrics)
  }

  /// How many operations the unit rows time.
  var unitCount: Int { min(count / 5, 20_000) }

  /// Numbers of so many users out of a range, in an order that depends on the seed.
  func shuffled(_ range: Range<Int>, count: Int, salt: UInt64) -> [Int] {
    var random = SplitMix(seed: seed &+ salt)
    return Array(range.shuffled(using: &random).prefix(count))
  }

  /// Pieces of a list, so that the documents of a long run are not in memory all at once.
  static func pieces(of numbers: [Int], size: Int = 1000) -> [ArraySlice<Int>] {
    stride(from: 0, to: numbers.count, by: size).map {
      numbers[$0..<min($0 + size, numbers.count)]
    }
  }
}
