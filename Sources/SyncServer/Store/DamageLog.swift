internal import Synchronization

/// What of a collection does not read, as far as anybody met it since the collection was opened.
final class DamageLog: Sendable {
  private struct State {
    var isPending = false
    var settled: Set<UInt64> = []
  }

  private let state = Mutex(State())

  /// Whether something was met that the epoch does not account for.
  var isPending: Bool { state.withLock { $0.isPending } }

  /// Whether the epoch began without something.
  var hasSettled: Bool { state.withLock { !$0.settled.isEmpty } }

  /// Notes that a sequence does not read.
  ///
  /// - Returns: Whether the epoch began without it, so that every replica pushes it again.
  func isSettled(_ sequence: UInt64) -> Bool {
    state.withLock { state in
      if state.settled.contains(sequence) { return true }
      state.isPending = true
      return false
    }
  }

  /// An epoch began without these.
  func settle(_ sequences: Set<UInt64>) {
    state.withLock { $0 = State(settled: sequences) }
  }
}
