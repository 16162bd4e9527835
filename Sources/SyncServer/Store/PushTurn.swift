internal import NyaruEngine
internal import NyaruSyncLog
internal import Synchronization

/// One push, decided record by record within one turn of the collection's writer.
///
/// The engine asks about each key in the order of ``keys`` and writes all that was decided as one
/// batch, or nothing if a decision stops. The order is that of the commit: the replica, the heads,
/// the state, the commit record.
final class PushTurn: Sendable {
  /// The envelopes of one record, in the order of the request.
  private struct Group: Sendable {
    var record: RecordTag
    var members: [(index: Int, header: EnvelopeHeader)]
  }

  /// What is known so far.
  private struct Progress {
    var position = 0
    var refused: [EndpointFailure.Record]
    var outcomes: [PushAnswer.Outcome?]
    var covering: [Int: [UInt8]] = [:]
    var removed: [EnvelopeHeader] = []
    var inserted: [EnvelopeHeader] = []
    var before: UInt64 = 0
    var through: UInt64 = 0
    var chain = ChainValue.none
    var failure: EndpointFailure?

    var isCommit: Bool { outcomes.contains(.stored) }
  }

  /// The keys to ask about, in order.
  let keys: [[UInt8]]

  private let request: PushRequest
  private let groups: [Group]
  private let newChain = ChainValue.random()
  private let now: UInt64
  private let progress: Mutex<Progress>

  init(_ request: PushRequest, at now: UInt64) {
    self.request = request
    self.now = now
    var refused: [EndpointFailure.Record] = []
    var groups: [Group] = []
    var places: [RecordTag: Int] = [:]
    for index in 0..<request.envelopes.count {
      do throws(FormatError) {
        let header = try EnvelopeHeader(envelope: request.envelopes[index].span)
        let place = places[header.record] ?? groups.count
        places[header.record] = place
        if place == groups.count { groups.append(Group(record: header.record, members: [])) }
        groups[place].members.append((index, header))
      } catch {
        refused.append(.init(index: index, code: .malformed, detail: "\(error)"))
      }
    }
    self.groups = groups
    keys =
      [EndpointRecord.key(of: request.replica)]
      + groups.map { EndpointRecord.key(of: $0.record) }
      + [EndpointRecord.stateKey, EndpointRecord.key(ofCommit: newChain)]
    let outcomes = [PushAnswer.Outcome?](repeating: nil, count: request.envelopes.count)
    progress = Mutex(Progress(refused: refused, outcomes: outcomes))
  }

  /// Decides about the next key.
  ///
  /// `isLost` tells of a key without a record that reads whether replicas have yet to learn that.
  func decide(
    _ current: RecordState?, dot: Dot, isLost: (_ key: [UInt8]) -> Bool
  ) -> ReplicationChange {
    progress.withLock { progress in
      let position = progress.position
      progress.position += 1
      do throws(FormatError) {
        let record = current?.seen.flatMap { entry in
          (try? EndpointRecord(document: entry.body)).map { ($0, entry.dot.sequence) }
        }
        if record == nil, isLost(keys[position]) {
          progress.failure = .lostRecords
          return .stop
        }
        let change: EndpointRecord?
        if position == 0 {
          change = try decideReplica(record?.0, &progress)
        } else if position <= groups.count {
          change = try decideHeads(of: groups[position - 1], record?.0, &progress)
        } else if position == groups.count + 1 {
          change = try decideState(record, &progress)
        } else {
          progress.through = progress.isCommit ? dot.sequence : progress.before
          change = progress.isCommit ? .commit(newChain) : nil
        }
        if progress.failure != nil { return .stop }
        return change.map { .write(.own($0, after: current, dot: dot), source: 0) } ?? .keep
      } catch {
        progress.failure = EndpointFailure(.internalError, "a stored record does not read")
        return .stop
      }
    }
  }

  /// What to answer once everything is durable.
  func answer() throws(EndpointFailure) -> PushAnswer {
    let (progress, failure) = progress.withLock { ($0, $0.failure) }
    if let failure { throw failure }
    var covering = EnvelopeList()
    for index in progress.covering.keys.sorted() {
      if let head = progress.covering[index] { covering.append(head) }
    }
    return PushAnswer(
      before: progress.before, through: progress.through, chain: progress.chain,
      outcomes: progress.outcomes.compactMap { $0 }, covering: covering)
  }

  private func decideReplica(
    _ record: EndpointRecord?, _ progress: inout Progress
  ) throws(FormatError) -> EndpointRecord? {
    guard case .replica(var replica) = record, replica.tickets.last == request.ticket else {
      progress.failure = EndpointFailure(.ticketUnknown, "another session came later")
      return nil
    }
    replica.pushedThrough = max(replica.pushedThrough, request.pushedThrough)
    replica.lastSeen = now
    return .replica(replica)
  }

  private func decideHeads(
    of group: Group, _ record: EndpointRecord?, _ progress: inout Progress
  ) throws(FormatError) -> EndpointRecord? {
    var heads: [(header: EnvelopeHeader, envelope: [UInt8])] = []
    if case .heads(let envelopes) = record {
      for envelope in envelopes {
        heads.append((try EnvelopeHeader(envelope: envelope.span), envelope))
      }
    }
    let isNew = heads.isEmpty
    var changed = false
    for (index, header) in group.members {
      switch EndpointLogic.decide(header, heads: heads.map(\.header)) {
      case .same: progress.outcomes[index] = .same
      case .covered(let head):
        progress.outcomes[index] = .covered
        progress.covering[index] = heads[head].envelope
      case .tooManyHeads:
        progress.refused.append(
          .init(index: index, code: .tooManyHeads, detail: "too many versions stand already"))
      case .store(let dropped):
        let envelope = request.envelopes[index]
        let size = heads.reduce(envelope.count) { $0 + $1.envelope.count + 8 }
        guard size <= StorageLimits.payloadSize - EndpointRecord.overhead * 8 || isNew else {
          progress.refused.append(
            .init(index: index, code: .tooLarge, detail: "its versions are too large together"))
          continue
        }
        progress.outcomes[index] = .stored
        for head in dropped.reversed() { progress.removed.append(heads.remove(at: head).header) }
        heads.append((header, envelope))
        progress.inserted.append(header)
        changed = true
      }
    }
    return changed ? .heads(heads.map(\.envelope)) : nil
  }

  private func decideState(
    _ record: (EndpointRecord, sequence: UInt64)?, _ progress: inout Progress
  ) throws(FormatError) -> EndpointRecord? {
    guard case .state(var state) = record?.0, let sequence = record?.sequence else {
      throw .invalid("no state")
    }
    progress.before = state.chain == .none ? 0 : sequence + 1
    progress.chain = state.chain
    guard progress.refused.isEmpty else {
      let refused = progress.refused.sorted { $0.index < $1.index }
      progress.failure = EndpointLogic.refusal(of: refused)
      return nil
    }
    guard progress.isCommit else { return nil }
    for header in progress.removed { state.sum.remove(header) }
    for header in progress.inserted { state.sum.insert(header) }
    state.chain = newChain
    progress.chain = newChain
    return .state(state)
  }
}

extension RecordState {
  /// The state after an own write of the record, whatever stood there before.
  ///
  /// Tags tell copies of a replica apart when their states merge; states of an endpoint never do.
  static func own(_ record: EndpointRecord, after current: RecordState?, dot: Dot) -> RecordState {
    (current ?? .unwritten).resolving(
      record.document, format: .messagePack, dot: dot, tag: 0, now: 0)
  }
}
