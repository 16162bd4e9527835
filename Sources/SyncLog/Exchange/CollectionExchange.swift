package import NyaruEngine

/// One collection's part of a sync: what to do next, given what came in.
///
/// It does no I/O and reads no clock. Whoever drives it carries out the ``Action``, and then says
/// what came of it. The checkpoint inside is what may be made durable at any time between calls.
package struct CollectionExchange: Sendable {
  /// Which way records go.
  package enum Direction: Sendable {
    case both
    case pull
    case push

    /// Pull from a peer that pulls for itself: another directory.
    case receive

    var pulls: Bool { self != .push }
    var pushes: Bool { self == .both || self == .push }
  }

  /// What the driver does next.
  package enum Action: Equatable, Sendable {
    /// Ask for a page, take in its records, make them durable, then say so.
    case pull(PullRequest)

    /// Offer what changed here after the sequence.
    ///
    /// If `includesReceived`, records that came from the peer are offered, too.
    case push(after: UInt64, includesReceived: Bool)

    /// Tell the peer, with an empty push, up to where it has everything.
    case acknowledge(pushedThrough: UInt64)

    /// The peer knows of another user of this identity. Take a new one, by which what was written
    /// after the sequence is authored again; then begin a new session.
    case reidentify(bound: UInt64)

    case finish
  }

  /// Sequences that may be read again and again before the peer is told not to need them.
  package static let acknowledgementStep: UInt64 = 1000

  /// Times that records go back and forth because others pushed meanwhile.
  package static let roundLimit = 8

  package private(set) var checkpoint: CollectionCheckpoint
  private let direction: Direction
  private let replica: ReplicaID

  /// Whether nothing was here when the session began.
  private let isUntouched: Bool
  private let limits: SessionAnswer.Limits
  private var status: SessionAnswer.Status
  private var rounds = 0

  /// Others pushed between what was pulled and what was pushed.
  private var isBehind = false

  /// Whether the peer's history is not the one that this database saw before.
  package private(set) var hasDiverged = false

  /// The last own sequence when the exchange began.
  private let stableSequence: UInt64

  package init(
    checkpoint: CollectionCheckpoint, status: SessionAnswer.Status, replica: ReplicaID,
    direction: Direction, stableSequence: UInt64, isUntouched: Bool,
    limits: SessionAnswer.Limits
  ) {
    self.stableSequence = stableSequence
    self.checkpoint = checkpoint
    self.status = status
    self.replica = replica
    self.direction = direction
    self.isUntouched = isUntouched
    self.limits = limits
  }

  /// The first action, from what the session's answer says.
  package mutating func begin() -> Action {
    if status.isTicketRefused {
      return .reidentify(bound: checkpoint.pushedThrough(atTicket: status.commonTicket))
    }
    if status.epoch == .none { return .finish }
    let isKnownHistory =
      checkpoint.epoch == status.epoch && status.isChainValid && checkpoint.replica == replica
    if isKnownHistory {
      // Another directory does not say, since nothing is pushed to it.
      if direction != .receive {
        checkpoint.pushedThrough = min(checkpoint.pushedThrough, status.pushedThrough)
      }
    } else {
      hasDiverged =
        checkpoint.epoch != .none && (checkpoint.epoch != status.epoch || !status.isChainValid)
      checkpoint.startOver(epoch: status.epoch, replica: replica, last: stableSequence)
      if isUntouched { checkpoint.markersAfter = status.head }
    }
    return pullOrPush()
  }

  /// A page is here, durable.
  package mutating func tookPage(
    through: UInt64, chain: ChainValue, hasMore: Bool
  ) -> Action {
    checkpoint.pulledThrough = max(checkpoint.pulledThrough, through)
    checkpoint.chain = chain
    if hasMore { return pull() }
    isBehind = false
    return push()
  }

  /// A part of the feed was offered, and what the answer brought is here, durable.
  ///
  /// There is no answer where the part had nothing for the peer.
  package mutating func offered(
    through: UInt64, answer: PushAnswer?, isEnd: Bool
  ) -> Action {
    checkpoint.pushedThrough = max(checkpoint.pushedThrough, through)
    if let answer { note(answer, pushedThrough: through) }
    guard isEnd else {
      return .push(
        after: checkpoint.pushedThrough, includesReceived: checkpoint.isReconciling)
    }
    checkpoint.isReconciling = false
    rounds += 1
    if isBehind, direction.pulls, rounds < Self.roundLimit { return pull() }
    return end()
  }

  /// The peer was told.
  package mutating func acknowledged() -> Action {
    status.pushedThrough = checkpoint.pushedThrough
    return .finish
  }

  /// States with own writes up to the sequence are about to leave; save the checkpoint first.
  package mutating func willSend(through sequence: UInt64) {
    checkpoint.sentThrough = max(checkpoint.sentThrough, sequence)
  }

  /// Records that could not be sent, besides those that are known already.
  package mutating func park(_ sequences: [UInt64]) {
    checkpoint.parked = Array(Set(checkpoint.parked + sequences).sorted())
  }

  package mutating func unpark(_ sequences: Set<UInt64>) {
    checkpoint.parked.removeAll { sequences.contains($0) }
  }

  /// Whether both sides hold the same, as far as the exchange can tell.
  package func isComplete(stableSequence: UInt64) -> Bool {
    let isPushed = direction == .receive || checkpoint.pushedThrough >= stableSequence
    return !isBehind && !checkpoint.isReconciling && checkpoint.parked.isEmpty
      && checkpoint.pulledThrough >= status.head && isPushed
  }

  private mutating func note(_ answer: PushAnswer, pushedThrough: UInt64) {
    status.pushedThrough = max(status.pushedThrough, pushedThrough)
    status.head = max(status.head, answer.through)
    if answer.before == checkpoint.pulledThrough {
      // Nothing but the own push happened, so it need not come back.
      checkpoint.pulledThrough = answer.through
      checkpoint.chain = answer.chain
    } else if answer.through != checkpoint.pulledThrough {
      isBehind = true
    }
  }

  private mutating func pullOrPush() -> Action {
    if direction.pulls, checkpoint.pulledThrough < status.head { return pull() }
    return push()
  }

  private func pull() -> Action {
    .pull(
      PullRequest(
        collection: status.collection, epoch: checkpoint.epoch, since: checkpoint.pulledThrough,
        chain: checkpoint.chain, countLimit: limits.pageCount, sizeLimit: limits.pageSize,
        markersAfter: checkpoint.markersAfter))
  }

  private mutating func push() -> Action {
    if direction == .receive { checkpoint.isReconciling = false }
    guard direction.pushes else { return .finish }
    return .push(after: checkpoint.pushedThrough, includesReceived: checkpoint.isReconciling)
  }

  private func end() -> Action {
    let unknown = checkpoint.pushedThrough - min(checkpoint.pushedThrough, status.pushedThrough)
    if unknown >= Self.acknowledgementStep {
      return .acknowledge(pushedThrough: checkpoint.pushedThrough)
    }
    return .finish
  }
}
