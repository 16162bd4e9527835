internal import NyaruEngine

/// The rules of a blind endpoint, as decisions: it compares vectors and sees nothing else.
package enum EndpointLogic {
  /// What becomes of an envelope, given the heads of its record.
  package enum Decision: Equatable, Sendable {
    /// It becomes a head; those at these indices go, because it covers them.
    case store(dropping: [Int])

    /// This very state is a head already.
    case same

    /// The head at this index has seen all that the envelope has, and more.
    case covered(by: Int)

    /// It would be a head too many. The push fails with it.
    case tooManyHeads
  }

  /// Decides by the vectors alone, so that a repeated push changes nothing.
  ///
  /// It never refuses a concurrent write. Equal vectors with other contents are two writes that
  /// claim the same dot; both stay, for a replica to tell apart.
  package static func decide(
    _ incoming: EnvelopeHeader, heads: [EnvelopeHeader]
  ) -> Decision {
    var dropped: [Int] = []
    for (index, head) in heads.enumerated() {
      if head.vector == incoming.vector {
        if head.stateTag == incoming.stateTag { return .same }
      } else if incoming.vector.isSubset(of: head.vector) {
        return .covered(by: index)
      } else if head.vector.isSubset(of: incoming.vector) {
        dropped.append(index)
      }
    }
    let isTooMany = heads.count - dropped.count >= ProtocolLimits.headCount
    return isTooMany ? .tooManyHeads : .store(dropping: dropped)
  }

  /// Whether a session may go on under its replica's name.
  package enum TicketDecision: Equatable, Sendable {
    /// It may; these tickets are to be remembered, oldest first.
    case accepted([Ticket])

    /// The newest ticket is unknown to the client, so one of two is a copy. Nothing changes.
    case refused(common: UInt64?)
  }

  /// Accepts a ticket iff the newest one of that replica is known to the client.
  package static func decide(
    _ ticket: Ticket, known: [UInt64], remembered: [Ticket]
  ) -> TicketDecision {
    let known = Set(known).union([ticket.high])
    if let newest = remembered.last, !known.contains(newest.high) {
      return .refused(common: remembered.last { known.contains($0.high) }?.high)
    }
    let others = remembered.filter { $0 != ticket }
    return .accepted((others + [ticket]).suffix(ProtocolLimits.ticketCount))
  }

  /// The failure of a push that brings envelopes which cannot be taken, or `nil`.
  package static func refusal(of records: [EndpointFailure.Record]) -> EndpointFailure? {
    if records.isEmpty { return nil }
    return EndpointFailure(
      .recordsRefused, "\(records.count) of the records cannot be taken", records: records)
  }
}
