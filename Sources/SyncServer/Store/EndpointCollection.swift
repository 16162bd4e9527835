internal import NyaruEngine
internal import NyaruSyncLog
internal import Synchronization

/// One collection of one vault, kept in one collection of the engine.
///
/// It holds nothing in memory: each call reads the state that the last commit left. What is
/// decided together is decided in one turn of the engine's writer.
struct EndpointCollection: Sendable {
  /// Where the collection stands, all of it durable.
  struct Status: Sendable {
    var state: EndpointRecord.State

    /// The sequence of the last commit, or 0.
    var head: UInt64
  }

  /// Sequences that one look into the feed covers, so that no page costs the whole history.
  private static let feedWindow: UInt64 = 32_768

  /// What the records add up to.
  private struct Count: Sendable {
    var sum = DigestSum()

    /// Sequences that do not read.
    var lost: Set<UInt64> = []
  }

  let core: CollectionCore
  private let damage = DamageLog()

  init(core: CollectionCore) { self.core = core }

  // MARK: Opening

  /// Makes sure that there is a state, and a new epoch where anything was lost.
  func prepare() async throws(EndpointFailure) {
    // Asked first: whoever creates at the same time writes the state before any other record.
    if core.reader.lastSequence == 0 { return try await create() }
    var isDamaged = core.openReport.lostState || !core.openReport.damaged.isEmpty
    do throws(EndpointFailure) {
      if try state(of: EndpointRecord.stateKey) == nil { isDamaged = true }
    } catch {
      guard damage.isPending else { throw error }
      isDamaged = true
    }
    if isDamaged { try await renew() }
  }

  /// Begins with an epoch, unless somebody else just did.
  func create() async throws(EndpointFailure) {
    let epoch = Epoch.random()
    _ = try await apply([EndpointRecord.stateKey]) { current, dot in
      current == nil
        ? .write(.own(.state(.init(epoch: epoch)), after: nil, dot: dot), source: 0) : .keep
    }
    try await sync()
  }

  /// A new epoch over what reads: counts anew, and ends with a commit.
  ///
  /// It counts in the writer's turn, so that no push comes between.
  private func renew() async throws(EndpointFailure) {
    let chain = ChainValue.random()
    let progress = Mutex<Result<Count, EndpointFailure>?>(nil)
    try await apply([EndpointRecord.stateKey, EndpointRecord.key(ofCommit: chain)], isGroup: true) {
      current, dot in
      progress.withLock { progress in
        if progress != nil {
          return .write(.own(.commit(chain), after: current, dot: dot), source: 0)
        }
        do throws(EndpointFailure) {
          let count = try count()
          progress = .success(count)
          let state = EndpointRecord.State(epoch: .random(), chain: chain, sum: count.sum)
          return .write(.own(.state(state), after: current, dot: dot), source: 0)
        } catch {
          progress = .failure(error)
          return .stop
        }
      }
    }
    if let lost = try progress.withLock({ $0 })?.get().lost { damage.settle(lost) }
    try await sync()
  }

  private func count() throws(EndpointFailure) -> Count {
    var count = Count()
    var after: UInt64 = 0
    let last = core.reader.lastSequence
    while after < last {
      let page = try feed(after: after, through: min(last, after + Self.feedWindow))
      count.lost.formUnion(page.lost)
      for (record, _) in page.records {
        guard case .heads(let heads) = record else { continue }
        for head in heads { if let header = Self.header(head) { count.sum.insert(header) } }
      }
      after = page.through
    }
    return count
  }

  /// Runs a call; where it met what does not read, the collection begins anew.
  ///
  /// Every replica then reconciles, and pushes again what was lost here.
  func mending<Value: Sendable>(
    _ call: () async throws(EndpointFailure) -> Value
  ) async throws(EndpointFailure) -> Value {
    do throws(EndpointFailure) { return try await call() } catch {
      guard damage.isPending else { throw error }
      try await renew()
      throw .lostRecords
    }
  }

  // MARK: Reading

  /// Where the collection stands; what is not durable yet is made so.
  func status() async throws(EndpointFailure) -> Status {
    guard let found = try state(of: EndpointRecord.stateKey), case .state(let state) = found.record
    else { throw EndpointFailure(.internalError, "the collection has no state") }
    let sequence = found.sequence
    let head = state.chain == .none ? 0 : sequence + 1
    if head > core.reader.durableSequence { try await sync() }
    return Status(state: state, head: head)
  }

  /// The chain value of the commit at the sequence; `nil` if no commit is there.
  func chain(at sequence: UInt64) throws(EndpointFailure) -> ChainValue? {
    if sequence == 0 { return ChainValue.none }
    guard sequence <= core.reader.lastSequence else { return nil }
    let page = try changes(after: sequence - 1, through: sequence)
    guard case .commit(let chain)? = page.records.first?.record else { return nil }
    return chain
  }

  func replica(_ id: ReplicaID) throws(EndpointFailure) -> EndpointRecord.Replica {
    guard case .replica(let replica)? = try state(of: EndpointRecord.key(of: id))?.record else {
      return EndpointRecord.Replica()
    }
    return replica
  }

  /// The heads of one record, and the sequence that they have.
  func heads(of record: RecordTag) throws(EndpointFailure) -> (heads: [[UInt8]], UInt64) {
    guard let found = try state(of: EndpointRecord.key(of: record)),
      case .heads(let heads) = found.record
    else { return ([], 0) }
    return (heads, found.sequence)
  }

  func pull(_ request: PullRequest) async throws(EndpointFailure) -> PullPage {
    try await mending { () throws(EndpointFailure) in try await page(request) }
  }

  private func page(_ request: PullRequest) async throws(EndpointFailure) -> PullPage {
    let status = try await status()
    guard status.state.epoch == request.epoch else {
      throw EndpointFailure(.epochChanged, "the collection began anew")
    }
    guard request.since <= status.head, try chain(at: request.since) == request.chain else {
      throw EndpointFailure(.historyChanged, "another history at \(request.since)")
    }
    var builder = PageBuilder(request)
    var after = request.since
    while after < status.head, !builder.isFull {
      let through = min(status.head, after + Self.feedWindow)
      let part = try changes(after: after, through: through)
      for (record, sequence) in part.records where !builder.isFull {
        builder.add(record, sequence: sequence)
      }
      after = part.through
    }
    // A page of the epoch before would lack what this one began without.
    if damage.hasSettled, try await self.status().state.epoch != request.epoch {
      throw .lostRecords
    }
    return builder.page(head: status.head)
  }

  // MARK: Writing

  func push(_ request: PushRequest, at now: UInt64) async throws(EndpointFailure) -> PushAnswer {
    try await mending { () throws(EndpointFailure) in try await commit(request, at: now) }
  }

  private func commit(
    _ request: PushRequest, at now: UInt64
  ) async throws(EndpointFailure) -> PushAnswer {
    guard try await status().state.epoch == request.epoch else {
      throw EndpointFailure(.epochChanged, "the collection began anew")
    }
    let turn = PushTurn(request, at: now)
    _ = try await apply(turn.keys, isGroup: true) { turn.decide($0, dot: $1, isLost: isLost) }
    let answer = try turn.answer()
    try await sync()
    return answer
  }

  /// Registers the ticket of a session.
  func register(
    _ ticket: Ticket, known: [UInt64], of id: ReplicaID, at now: UInt64
  ) async throws(EndpointFailure) -> EndpointLogic.TicketDecision {
    let decision = Mutex(EndpointLogic.TicketDecision.refused(common: nil))
    _ = try await apply([EndpointRecord.key(of: id)]) { current, dot in
      var replica = EndpointRecord.Replica()
      if let body = current?.seen?.body {
        // What does not read is replaced: a ticket that is unknown only asks for a new session.
        if case .replica(let stored)? = try? EndpointRecord(document: body) { replica = stored }
      }
      let decided = EndpointLogic.decide(ticket, known: known, remembered: replica.tickets)
      decision.withLock { $0 = decided }
      guard case .accepted(let tickets) = decided, tickets != replica.tickets else { return .keep }
      replica.tickets = tickets
      replica.lastSeen = now
      return .write(.own(.replica(replica), after: current, dot: dot), source: 0)
    }
    return decision.withLock { $0 }
  }

  /// Returns when everything that was written is durable.
  func sync() async throws(EndpointFailure) {
    do throws(NyaruError) { try await core.sync() } catch { throw EndpointFailure(error) }
  }

  // MARK: The engine's calls

  private func apply(
    _ keys: [[UInt8]], isGroup: Bool = false,
    decide: @Sendable (_ current: RecordState?, _ dot: Dot) -> ReplicationChange
  ) async throws(EndpointFailure) {
    do throws(NyaruError) {
      _ = try await core.apply(
        keys.map { (idKey: $0, state: RecordState.unwritten) }, isGroup: isGroup
      ) { current, _, dot in decide(current, dot) }
    } catch {
      throw EndpointFailure(error)
    }
  }

  private func state(
    of key: [UInt8]
  ) throws(EndpointFailure) -> (record: EndpointRecord, sequence: UInt64)? {
    do throws(NyaruError) {
      guard let entry = try core.state(of: key)?.seen else { return nil }
      return (try Self.record(entry.body), entry.dot.sequence)
    } catch {
      guard Self.isDamage(error) else { throw EndpointFailure(error) }
      if isLost(key) { throw .lostRecords }
      return nil
    }
  }

  /// Whether a record is there that does not read, and the epoch does not account for that.
  ///
  /// Only asked about what was not read: a record that was never written is not lost.
  private func isLost(_ key: [UInt8]) -> Bool {
    do throws(StorageError) {
      return try core.reader.entry(key).map { !damage.isSettled($0.sequence) } ?? false
    } catch {
      return true  // Nobody knows where it lies, either.
    }
  }

  private static func isDamage(_ error: NyaruError) -> Bool {
    switch error {
    case .corruptedRecord, .damaged: true
    default: false
    }
  }

  /// A piece of the feed, without what the epoch began without.
  private func changes(
    after: UInt64, through: UInt64
  ) throws(EndpointFailure) -> (
    records: [(record: EndpointRecord, sequence: UInt64)], through: UInt64
  ) {
    let page = try feed(after: after, through: through)
    guard page.lost.allSatisfy(damage.isSettled) else { throw .lostRecords }
    return (page.records, page.through)
  }

  /// A piece of the feed, and the sequences in it that do not read.
  private func feed(
    after: UInt64, through: UInt64
  ) throws(EndpointFailure) -> (
    records: [(record: EndpointRecord, sequence: UInt64)], lost: [UInt64], through: UInt64
  ) {
    do throws(NyaruError) {
      let page = try core.changes(
        after: after, through: through, countLimit: ProtocolLimits.pageCount,
        sizeLimit: ProtocolLimits.pageSize)
      // A disk that fails for now has lost nothing.
      if let error = page.unreadable.first(where: { !Self.isDamage($0) }) { throw error }
      var records: [(EndpointRecord, UInt64)] = []
      var lost = page.unreadableSequences
      for change in page.records {
        guard let body = change.state.seen?.body else { continue }
        if let record = try? Self.record(body) {
          records.append((record, change.sequence))
        } else {
          lost.append(change.sequence)
        }
      }
      return (records, lost, page.through)
    } catch {
      throw EndpointFailure(error)
    }
  }

  private static func record(_ body: [UInt8]) throws(NyaruError) -> EndpointRecord {
    do throws(FormatError) { return try EndpointRecord(document: body) } catch {
      throw .corruptedRecord(id: nil, reason: "\(error)")
    }
  }

  private static func header(_ envelope: [UInt8]) -> EnvelopeHeader? {
    try? EnvelopeHeader(envelope: envelope.span)
  }
}

extension EndpointFailure {
  static let lostRecords = EndpointFailure(
    .epochChanged, "the collection began anew: some of it did not read any more")

  /// What a client is told when the engine fails: nothing about files.
  init(_ error: NyaruError) {
    switch error {
    case .storageFailed, .needsReopening, .closed:
      self.init(.unavailable, "the endpoint's storage does not take this now")
    default:
      self.init(.internalError, "the endpoint's storage failed")
    }
  }
}
