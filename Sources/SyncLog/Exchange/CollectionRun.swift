internal import NyaruEngine

/// Drives one collection's ``CollectionExchange``: carries out what it says.
final class CollectionRun {
  /// How a run ended.
  enum End: Equatable {
    case done

    /// A new identity is needed; see ``CollectionExchange/Action/reidentify(bound:)``.
    case reidentify(bound: UInt64)
  }

  /// What a run works with.
  struct Context {
    var peer: any SyncPeer
    var keys: VaultKeys
    var replica: ReplicaID
    var ticket: Ticket
    var limits: SessionAnswer.Limits

    /// Makes the collection's checkpoint durable.
    var save: (CollectionCheckpoint) throws -> Void
    var progress: (SyncProgress.Phase, _ records: Int) -> Void
  }

  private let context: Context
  private let collection: CollectionTag
  private var exchange: CollectionExchange
  private var intake: Intake

  /// The sequence up to which everything here is durable.
  private var stable: UInt64

  /// The catalog entry goes out with the first push, if the peer lacks it.
  private var sendsCatalog: Bool
  private var hasRetriedParked = false

  /// The page that comes next, asked for while the last one is taken in.
  private var ahead: (request: PullRequest, page: Task<PullPage, any Error>)?

  /// Own sequences of records that stayed here during this run.
  private var parkedNow: Set<UInt64> = []

  init(
    _ context: Context, collection: CollectionTag, exchange: CollectionExchange,
    intake: Intake, stable: UInt64, sendsCatalog: Bool
  ) {
    self.context = context
    self.collection = collection
    self.exchange = exchange
    self.intake = intake
    self.stable = stable
    self.sendsCatalog = sendsCatalog
  }

  var tally: Tally { intake.tally }

  func run() async throws -> End {
    do {
      return try await exchangeAll()
    } catch {
      // Nothing goes on behind the caller's back.
      ahead?.page.cancel()
      _ = await ahead?.page.result
      throw error
    }
  }

  private func exchangeAll() async throws -> End {
    guard try await intake.retryQuarantined() else { return .reidentify(bound: 0) }
    var action = exchange.begin()
    if exchange.checkpoint.isReconciling { intake.heads = [] }
    intake.tally.isReconciled = exchange.hasDiverged
    while true {
      try Task.checkCancellation()
      switch action {
      case .pull(let request):
        guard let next = try await pull(request) else { return .reidentify(bound: 0) }
        action = next
      case .push(let after, let includesReceived):
        guard let next = try await push(after: after, includesReceived: includesReceived) else {
          return .reidentify(bound: 0)
        }
        action = next
      case .acknowledge(let pushedThrough):
        _ = try await send(EnvelopeList(), pushedThrough: pushedThrough)
        action = exchange.acknowledged()
      case .reidentify(let bound): return .reidentify(bound: bound)
      case .finish:
        try context.save(exchange.checkpoint)
        intake.tally.parked += exchange.checkpoint.parked.count
        intake.tally.isComplete =
          intake.tally.isComplete && exchange.isComplete(stableSequence: stable)
        return .done
      }
    }
  }

  private func pull(_ request: PullRequest) async throws -> CollectionExchange.Action? {
    let page = try await page(request)
    guard page.through > request.since || !page.hasMore && page.envelopes.isEmpty else {
      throw PeerFailure.notAnEndpoint("a page that leads nowhere")
    }
    var preview = exchange
    let next = preview.tookPage(through: page.through, chain: page.chain, hasMore: page.hasMore)
    if case .pull(let nextRequest) = next {
      let peer = context.peer
      ahead = (nextRequest, Task { try await peer.pull(nextRequest) })
    }
    guard try await take(page.envelopes) else {
      ahead?.page.cancel()
      _ = await ahead?.page.result
      return nil
    }
    context.progress(.receiving, page.envelopes.count)
    exchange = preview
    try context.save(exchange.checkpoint)
    return next
  }

  private func page(_ request: PullRequest) async throws -> PullPage {
    defer { ahead = nil }
    guard let ahead, ahead.request == request else { return try await context.peer.pull(request) }
    return try await ahead.page.value
  }

  /// Records are durable before any checkpoint speaks of them.
  private func take(_ envelopes: EnvelopeList) async throws -> Bool {
    if envelopes.isEmpty { return true }
    let isTaken = try await intake.take(envelopes)
    stable = try await intake.store.sync()
    return isTaken
  }
}

/// Sending.
extension CollectionRun {
  /// Records that go out in one request, unless it is too large.
  private struct Piece {
    var items: [Offer.Item]

    /// The own sequence up to which all is said once the piece is.
    var through: UInt64
  }

  private func push(
    after: UInt64, includesReceived: Bool
  ) async throws -> CollectionExchange.Action? {
    guard try await retryParked(after: after) else { return nil }
    let limit = FeedLimit(count: context.limits.pageCount, size: context.limits.pageSize)
    let page = try await intake.store.feed(after: after, through: stable, limit: limit)
    for problem in page.unreadable { note(unreadable: problem) }
    let items = try await offered(page.records, includesReceived: includesReceived)
    return try await send(Piece(items: items, through: page.through), isEnding: true)
  }

  private func offered(
    _ records: [FeedRecord], includesReceived: Bool
  ) async throws -> [Offer.Item] {
    try await Offer.items(
      records, source: intake.rule.source,
      receivedAfter: includesReceived ? exchange.checkpoint.receivedAfter : 0,
      known: includesReceived ? intake.heads : nil, blocked: intake.blocked,
      keys: context.keys, collection: collection)
  }

  /// Sends records, in smaller pieces where the peer says that one is too large.
  ///
  /// - Returns: What is next, or `nil` if this database turns out to be a copy.
  private func send(
    _ piece: Piece, isEnding: Bool
  ) async throws -> CollectionExchange.Action? {
    if !piece.items.isEmpty, exchange.checkpoint.sentThrough < stable {
      exchange.willSend(through: stable)
      try context.save(exchange.checkpoint)
      // It may come back in this very run.
      intake.rule.sentThrough = max(intake.rule.sentThrough, stable)
    }
    var pieces = [piece]
    var next: CollectionExchange.Action?
    while let piece = pieces.popLast() {
      var answer: PushAnswer?
      if !piece.items.isEmpty || sendsCatalog {
        switch try await attempt(piece) {
        case .answered(let given): answer = given
        case .tooLarge:
          pieces += Self.halves(of: piece) ?? [parking(piece, "larger than the other side takes")]
          continue
        case .refused(let places):
          pieces.append(parking(piece, at: places))
          continue
        }
      }
      if let answer, try await !take(answer.covering) { return nil }
      let isEnd = isEnding && pieces.isEmpty && piece.through >= stable
      next = exchange.offered(through: piece.through, answer: answer, isEnd: isEnd)
      try context.save(exchange.checkpoint)
      if answer != nil { context.progress(.sending, piece.items.count) }
    }
    return next
  }

  /// Both halves, the first one last; `nil` if it is one record or one group.
  private static func halves(of piece: Piece) -> [Piece]? {
    guard let middle = Offer.middle(of: piece.items) else { return nil }
    let first = Array(piece.items[..<middle])
    let through = first.last?.record.sequence ?? piece.through
    return [
      Piece(items: Array(piece.items[middle...]), through: piece.through),
      Piece(items: first, through: through),
    ]
  }

  /// What came of one request.
  private enum Attempt {
    case answered(PushAnswer)
    case tooLarge
    case refused(Set<Int>)
  }

  private func attempt(_ piece: Piece) async throws -> Attempt {
    var list = EnvelopeList()
    if sendsCatalog {
      let catalog = Catalog(name: intake.store.name, idField: intake.store.idField)
      try catalog.seal(keys: context.keys, collection: collection, into: &list)
    }
    let catalogCount = list.count
    list.append(try await Offer.seal(piece.items, keys: context.keys, collection: collection))
    let isOversized = list.ranges.contains { $0.count > ProtocolLimits.envelopeSize }
    let isTooLarge = list.size + ProtocolLimits.frameOverhead > context.limits.bodySize
    if isTooLarge || isOversized, !piece.items.isEmpty { return .tooLarge }
    do throws(PeerFailure) {
      var answer = try await send(list, pushedThrough: piece.through)
      sendsCatalog = false
      answer.outcomes.removeFirst(catalogCount)  // The catalog is no record that anybody counts.
      count(answer.outcomes)
      return .answered(answer)
    } catch {
      guard case .endpoint(let failure) = error, !piece.items.isEmpty else { throw error }
      switch failure.code {
      case .tooLarge: return .tooLarge
      case .recordsRefused where !failure.records.isEmpty:
        let places = Set(failure.records.map { $0.index - catalogCount })
        guard places.allSatisfy((0..<piece.items.count).contains) else { throw error }
        return .refused(places)
      default: throw error
      }
    }
  }

  private func send(
    _ envelopes: EnvelopeList, pushedThrough: UInt64
  ) async throws(PeerFailure) -> PushAnswer {
    let answer = try await context.peer.push(
      PushRequest(
        collection: collection, epoch: exchange.checkpoint.epoch, replica: context.replica,
        ticket: context.ticket, pushedThrough: pushedThrough, envelopes: envelopes))
    guard answer.outcomes.count == envelopes.count else {
      throw .notAnEndpoint("not one outcome for each record")
    }
    return answer
  }

  private func count(_ outcomes: [PushAnswer.Outcome]) {
    for outcome in outcomes {
      switch outcome {
      case .stored: intake.tally.sent += 1
      case .same: intake.tally.same += 1
      case .covered: break
      }
    }
  }
}

/// What cannot go out.
extension CollectionRun {
  /// What is left of a piece when some of its records stay here, with the rest of their groups.
  private func parking(
    _ piece: Piece, _ reason: String = "refused by the other side", at places: Set<Int>? = nil
  ) -> Piece {
    let isRefused = { (place: Int) in places?.contains(place) ?? true }
    let refused = piece.items.enumerated().filter { isRefused($0.offset) }
    let groups = Set(refused.compactMap(\.element.group))
    var kept: [Offer.Item] = []
    var parked: [UInt64] = []
    for (place, item) in piece.items.enumerated() {
      if isRefused(place) {
        intake.tally.note(
          "\(intake.store.name) \(IDText.text(item.record.idKey)): \(reason)")
      }
      if isRefused(place) || item.group.map(groups.contains) ?? false {
        parked.append(item.record.sequence)
      } else {
        kept.append(item)
      }
    }
    exchange.park(parked)
    parkedNow.formUnion(parked)
    return Piece(items: kept, through: piece.through)
  }

  private func note(unreadable problem: String) {
    intake.tally.note(problem)
    intake.tally.isComplete = false
  }

  /// Offers again, once per run, what could not go out before and has not changed since.
  private func retryParked(after: UInt64) async throws -> Bool {
    if hasRetriedParked { return true }
    hasRetriedParked = true
    let parked = exchange.checkpoint.parked.filter { $0 > 0 && $0 <= after }
    if parked.isEmpty { return true }
    var items: [Offer.Item] = []
    for sequence in parked {
      let page = try await intake.store.feed(
        after: sequence - 1, through: sequence, limit: FeedLimit())
      items += try await offered(page.records, includesReceived: true)
    }
    guard try await send(Piece(items: items, through: after), isEnding: false) != nil else {
      return false
    }
    exchange.unpark(Set(parked).subtracting(parkedNow))
    return true
  }
}
