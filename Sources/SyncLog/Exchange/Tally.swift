/// What a run has done so far.
package struct Tally: Equatable, Sendable {
  package var sent = 0
  package var received = 0
  package var applied = 0
  package var same = 0
  package var conflicts = 0
  package var quarantined = 0
  package var parked = 0

  /// Records that were written here and are now unlike the peer's.
  package var merged = 0
  package var isReconciled = false
  package var isReidentified = false
  package var isComplete = true
  package var problems: [String] = []

  /// Problems that are listed one by one.
  static let problemLimit = 100

  package init() {}

  /// Forgets what a new session counts again.
  mutating func beginSession() {
    quarantined = 0
    parked = 0
    isComplete = true
  }

  mutating func add(_ other: Tally) {
    sent += other.sent
    received += other.received
    applied += other.applied
    same += other.same
    conflicts += other.conflicts
    quarantined += other.quarantined
    parked += other.parked
    merged += other.merged
    isReconciled = isReconciled || other.isReconciled
    isReidentified = isReidentified || other.isReidentified
    isComplete = isComplete && other.isComplete
    for problem in other.problems { note(problem) }
  }

  mutating func note(_ problem: String) {
    if problems.count < Self.problemLimit, !problems.contains(problem) { problems.append(problem) }
  }
}
