import NyaruEngine
import NyaruSyncLog
import Testing

@Suite struct CollectionExchangeTests {
  private let replica = ReplicaID(number: 1)
  private let epoch = Epoch(high: 1, low: 1)
  private let chain = ChainValue(high: 5, low: 5)

  private func status(
    head: UInt64, isChainValid: Bool = true, pushedThrough: UInt64 = 0, epoch: Epoch? = nil
  ) -> SessionAnswer.Status {
    SessionAnswer.Status(
      collection: .none, epoch: epoch ?? self.epoch, head: head, chain: chain,
      isChainValid: isChainValid, isTicketRefused: false, commonTicket: nil,
      pushedThrough: pushedThrough, count: 1, root: .none)
  }

  /// A checkpoint after an earlier exchange.
  private func known(pulled: UInt64, pushed: UInt64) -> CollectionCheckpoint {
    var checkpoint = CollectionCheckpoint(collectionID: .none, replica: replica)
    checkpoint.epoch = epoch
    checkpoint.chain = chain
    checkpoint.pulledThrough = pulled
    checkpoint.pushedThrough = pushed
    checkpoint.isReconciling = false
    return checkpoint
  }

  private func exchange(
    _ checkpoint: CollectionCheckpoint?, _ status: SessionAnswer.Status,
    direction: CollectionExchange.Direction = .both, isUntouched: Bool = false
  ) -> CollectionExchange {
    CollectionExchange(
      checkpoint: checkpoint ?? CollectionCheckpoint(collectionID: .none, replica: replica),
      status: status, replica: replica, direction: direction, stableSequence: 4,
      isUntouched: isUntouched, limits: SessionAnswer.Limits())
  }

  private func request(
    since: UInt64, chain: ChainValue, markersAfter: UInt64 = 0
  ) -> CollectionExchange.Action {
    .pull(
      PullRequest(
        collection: .none, epoch: epoch, since: since, chain: chain, markersAfter: markersAfter))
  }

  private func answer(before: UInt64, through: UInt64) -> PushAnswer {
    PushAnswer(
      before: before, through: through, chain: .random(), outcomes: [], covering: EnvelopeList())
  }

  @Test func `a known history goes on where it was`() {
    var exchange = exchange(known(pulled: 7, pushed: 5), status(head: 9, pushedThrough: 5))
    #expect(exchange.begin() == request(since: 7, chain: chain))
    let next = exchange.tookPage(through: 9, chain: chain, hasMore: false)
    #expect(next == .push(after: 5, includesReceived: false))
    #expect(exchange.offered(through: 6, answer: nil, isEnd: true) == .finish)
    #expect(exchange.isComplete(stableSequence: 6) && !exchange.hasDiverged)
    #expect(exchange.checkpoint.pulledThrough == 9 && exchange.checkpoint.pushedThrough == 6)
  }

  @Test func `what the endpoint lost of the pushes is pushed again`() {
    var exchange = exchange(known(pulled: 9, pushed: 50), status(head: 9, pushedThrough: 20))
    #expect(exchange.begin() == .push(after: 20, includesReceived: false))
  }

  @Test(arguments: [true, false])
  func `another history is compared whole, and nothing is left out`(isEpochNew: Bool) {
    let other = Epoch(high: 2, low: 2)
    var exchange = exchange(
      known(pulled: 7, pushed: 5),
      status(
        head: 9, isChainValid: isEpochNew, pushedThrough: 5, epoch: isEpochNew ? other : epoch))
    guard case .pull(let request) = exchange.begin() else {
      Issue.record("nothing is pulled")
      return
    }
    #expect(request.since == 0 && request.chain == .none && request.markersAfter == 0)
    let next = exchange.tookPage(through: 9, chain: chain, hasMore: false)
    #expect(next == .push(after: 0, includesReceived: true))
    #expect(exchange.hasDiverged)
    #expect(exchange.offered(through: 3, answer: nil, isEnd: true) == .finish)
    #expect(!exchange.checkpoint.isReconciling)
  }

  @Test func `another author means that records may be missing here`() {
    var checkpoint = known(pulled: 9, pushed: 5)
    checkpoint.replica = ReplicaID(number: 99)
    var exchange = exchange(checkpoint, status(head: 9, pushedThrough: 5))
    #expect(exchange.begin() == request(since: 0, chain: .none))
    #expect(!exchange.hasDiverged)
  }

  @Test func `a comparison that was cut off goes on, and still leaves nothing out`() {
    var checkpoint = known(pulled: 7, pushed: 0)
    checkpoint.isReconciling = true
    var exchange = exchange(checkpoint, status(head: 9))
    #expect(exchange.begin() == request(since: 7, chain: chain))
    let next = exchange.tookPage(through: 9, chain: chain, hasMore: false)
    #expect(next == .push(after: 0, includesReceived: true))
  }

  @Test func `an empty replica asks for no old deletions`() {
    var exchange = exchange(nil, status(head: 9), isUntouched: true)
    #expect(exchange.begin() == request(since: 0, chain: .none, markersAfter: 9))
  }

  @Test func `an own push does not come back`() {
    var exchange = exchange(known(pulled: 9, pushed: 5), status(head: 9, pushedThrough: 5))
    #expect(exchange.begin() == .push(after: 5, includesReceived: false))
    #expect(
      exchange.offered(through: 6, answer: answer(before: 9, through: 12), isEnd: true) == .finish)
    #expect(exchange.checkpoint.pulledThrough == 12)
    #expect(exchange.isComplete(stableSequence: 6))
  }

  @Test func `what others pushed meanwhile is pulled`() {
    var exchange = exchange(known(pulled: 9, pushed: 5), status(head: 9, pushedThrough: 5))
    _ = exchange.begin()
    let next = exchange.offered(
      through: 6, answer: answer(before: 10, through: 12), isEnd: true)
    #expect(next == request(since: 9, chain: chain))
    #expect(!exchange.isComplete(stableSequence: 6))
  }

  @Test func `a refused ticket asks for a new identity, from what both sides know`() {
    var checkpoint = known(pulled: 9, pushed: 50)
    checkpoint.pushedThrough = 30
    let ticket = Ticket.random()
    checkpoint.add(ticket)
    checkpoint.pushedThrough = 50
    var refused = status(head: 9)
    refused.isTicketRefused = true
    refused.commonTicket = ticket.high
    var exchange = exchange(checkpoint, refused)
    #expect(exchange.begin() == .reidentify(bound: 30))
    refused.commonTicket = nil
    exchange = self.exchange(checkpoint, refused)
    #expect(exchange.begin() == .reidentify(bound: 0))
  }

  @Test func `after a long stretch without a push the peer is told`() {
    let step = CollectionExchange.acknowledgementStep
    var exchange = exchange(known(pulled: 9, pushed: 0), status(head: 9))
    _ = exchange.begin()
    #expect(
      exchange.offered(through: step, answer: nil, isEnd: true)
        == .acknowledge(pushedThrough: step))
    #expect(exchange.acknowledged() == .finish)
    exchange = self.exchange(known(pulled: 9, pushed: 0), status(head: 9))
    _ = exchange.begin()
    #expect(exchange.offered(through: step - 1, answer: nil, isEnd: true) == .finish)
  }

  @Test func `one direction is only that`() {
    var exchange = exchange(nil, status(head: 9), direction: .pull)
    #expect(exchange.begin() == request(since: 0, chain: .none))
    #expect(exchange.tookPage(through: 9, chain: chain, hasMore: false) == .finish)
    #expect(exchange.checkpoint.isReconciling)
    exchange = self.exchange(nil, status(head: 9), direction: .push)
    #expect(exchange.begin() == .push(after: 0, includesReceived: true))
    exchange = self.exchange(nil, status(head: 9), direction: .receive)
    _ = exchange.begin()
    #expect(exchange.tookPage(through: 9, chain: chain, hasMore: false) == .finish)
    #expect(!exchange.checkpoint.isReconciling)
  }

  @Test func `a collection that may not be created is left alone`() {
    var exchange = exchange(nil, status(head: 0, epoch: Epoch.none))
    #expect(exchange.begin() == .finish)
  }
}
