package import NyaruSyncLog
package import NyaruEngine
internal import Synchronization

/// An endpoint store in memory, with the disasters that a test wants: wiped, or restored.
package final class MemoryEndpoint: EndpointStore {
  /// One head of a record.
  fileprivate struct Head: Sendable {
    var header: EnvelopeHeader
    var envelope: [UInt8]
    var sequence: UInt64
  }

  /// What is known of one replica in one collection.
  fileprivate struct Client: Sendable {
    var tickets: [Ticket] = []
    var pushedThrough: UInt64 = 0
  }

  /// One collection of one vault. Sequences count commits and heads alike.
  fileprivate struct Collection: Sendable {
    var epoch = Epoch.random()
    var sequence: UInt64 = 0
    var heads: [RecordTag: [Head]] = [:]
    var chain: [UInt64: ChainValue] = [0: .none]
    var commits: [UInt64] = [0]
    var clients: [ReplicaID: Client] = [:]
    var sum = DigestSum()

    var lastCommit: UInt64 { commits.last ?? 0 }
    var lastChain: ChainValue { chain[lastCommit] ?? .none }
  }

  /// Everything that a backup holds.
  package struct Backup: Sendable {
    fileprivate var vaults: [VaultID: [CollectionTag: Collection]] = [:]
    fileprivate var identity = Identity.random()
  }

  private let limits: SessionAnswer.Limits
  private let state = Mutex(Backup())

  package init(limits: SessionAnswer.Limits = .init()) { self.limits = limits }

  package func backup() -> Backup { state.withLock { $0 } }

  package func restore(_ backup: Backup) { state.withLock { $0 = backup } }

  /// The same from a copy of the files, which knows that it is one and has an identity of its own.
  package func restoreCopy(of backup: Backup) {
    state.withLock { state in
      state = backup
      state.identity = .random()
    }
  }

  /// Loses everything; collections begin anew with other epochs.
  package func wipe() { state.withLock { $0.vaults = [:] } }

  /// Changes the bytes of all heads, as decay or an attacker would.
  package func damage(_ change: (inout [UInt8]) -> Void) {
    state.withLock { state in
      for (vault, collections) in state.vaults {
        for (tag, collection) in collections {
          for (record, heads) in collection.heads {
            for index in heads.indices {
              var envelope = heads[index].envelope
              change(&envelope)
              state.vaults[vault]?[tag]?.heads[record]?[index].envelope = envelope
            }
          }
        }
      }
    }
  }

  /// The headers of all heads of a collection.
  package func heads(_ collection: CollectionTag, vault: VaultID) -> [EnvelopeHeader] {
    state.withLock { state in
      (state.vaults[vault]?[collection]?.heads.values).map { $0.flatMap { $0.map(\.header) } } ?? []
    }
  }

  /// All heads of a collection.
  package func envelopes(_ collection: CollectionTag, vault: VaultID) -> [[UInt8]] {
    let heads = state.withLock { $0.vaults[vault]?[collection]?.heads }
    return heads?.values.flatMap { $0.map(\.envelope) } ?? []
  }

  /// The fingerprints of the tickets that the endpoint remembers of a replica.
  package func tickets(
    of replica: ReplicaID, _ collection: CollectionTag, vault: VaultID
  ) -> [UInt64] {
    state.withLock { $0.vaults[vault]?[collection]?.clients[replica]?.tickets.map(\.high) } ?? []
  }

  /// Every byte that the endpoint holds, to search it for what must not be there.
  package func allBytes() -> [UInt8] {
    state.withLock { state in
      state.vaults.values.flatMap { vault in
        vault.values.flatMap { $0.heads.values.flatMap { $0.flatMap(\.envelope) } }
      }
    }
  }

  package func session(
    _ request: SessionRequest, vault: VaultID, mayCreate: Bool
  ) async throws(EndpointFailure) -> SessionAnswer {
    let statuses = state.withLock { state in
      if mayCreate, !request.isOnlyAsking {
        for claim in request.claims {
          let collection = state.vaults[vault]?[claim.collection] ?? Collection()
          state.vaults[vault, default: [:]][claim.collection] = collection
        }
      }
      let claims = Dictionary(request.claims.map { ($0.collection, $0) }) { first, _ in first }
      var statuses: [SessionAnswer.Status] = []
      for (tag, collection) in state.vaults[vault] ?? [:] {
        var collection = collection
        statuses.append(
          Self.status(of: &collection, tag: tag, request: request, claim: claims[tag]))
        if !request.isOnlyAsking { state.vaults[vault]?[tag] = collection }
      }
      return statuses
    }
    return SessionAnswer(
      endpoint: state.withLock { $0.identity }, time: 1_700_000_000_000, limits: limits,
      collections: statuses.sorted { $0.collection < $1.collection })
  }

  private static func status(
    of collection: inout Collection, tag: CollectionTag, request: SessionRequest,
    claim: SessionRequest.Claim?
  ) -> SessionAnswer.Status {
    var status = SessionAnswer.Status(
      collection: tag, epoch: collection.epoch, head: collection.lastCommit,
      chain: collection.lastChain, isChainValid: false, isTicketRefused: false, commonTicket: nil,
      pushedThrough: collection.clients[request.replica]?.pushedThrough ?? 0,
      count: collection.sum.count, root: collection.sum.root)
    guard let claim else { return status }
    status.isChainValid =
      claim.epoch == collection.epoch && collection.chain[claim.pulledThrough] == claim.chain
    var client = collection.clients[request.replica] ?? Client()
    let decision = EndpointLogic.decide(
      request.ticket, known: claim.knownTickets, remembered: client.tickets)
    switch decision {
    case .accepted(let tickets):
      client.tickets = tickets
      collection.clients[request.replica] = client
    case .refused(let common):
      status.isTicketRefused = true
      status.commonTicket = common
    }
    return status
  }

  package func pull(
    _ request: PullRequest, vault: VaultID
  ) async throws(EndpointFailure) -> PullPage {
    let found = state.withLock { $0.vaults[vault]?[request.collection] }
    guard let collection = found else { throw EndpointFailure(.unknownCollection, "none") }
    guard collection.epoch == request.epoch else { throw EndpointFailure(.epochChanged, "new") }
    guard collection.chain[request.since] == request.chain else {
      throw EndpointFailure(.historyChanged, "another chain at \(request.since)")
    }
    let heads = collection.heads.values.joined().filter { $0.sequence > request.since }
      .sorted { $0.sequence < $1.sequence }
    var envelopes = EnvelopeList()
    var through = request.since
    var rest = heads[...]
    for commit in collection.commits where commit > request.since {
      let piece = rest.prefix { $0.sequence <= commit }
      let sent = piece.filter {
        !($0.header.isDeletion && $0.sequence <= request.markersAfter)
      }
      let size = sent.reduce(envelopes.size) { $0 + $1.envelope.count }
      let count = envelopes.count + sent.count
      if !envelopes.isEmpty, count > request.countLimit || size > request.sizeLimit { break }
      for head in sent { envelopes.append(head.envelope) }
      rest = rest.dropFirst(piece.count)
      through = commit
    }
    return PullPage(
      envelopes: envelopes, through: through, chain: collection.chain[through] ?? .none,
      hasMore: through < collection.lastCommit)
  }

  package func push(
    _ request: PushRequest, vault: VaultID
  ) async throws(EndpointFailure) -> PushAnswer {
    try state.withLock { state throws(EndpointFailure) in
      guard var collection = state.vaults[vault]?[request.collection] else {
        throw EndpointFailure(.unknownCollection, "none")
      }
      guard collection.epoch == request.epoch else { throw EndpointFailure(.epochChanged, "new") }
      guard collection.clients[request.replica]?.tickets.last == request.ticket else {
        throw EndpointFailure(.ticketUnknown, "another session came later")
      }
      let answer = try Self.commit(request, to: &collection)
      state.vaults[vault]?[request.collection] = collection
      return answer
    }
  }

  private static func commit(
    _ request: PushRequest, to collection: inout Collection
  ) throws(EndpointFailure) -> PushAnswer {
    let before = collection.lastCommit
    var refused: [EndpointFailure.Record] = []
    var outcomes: [PushAnswer.Outcome] = []
    var covering = EnvelopeList()
    for index in 0..<request.envelopes.count {
      let envelope = request.envelopes[index]
      guard let header = try? EnvelopeHeader(envelope: envelope.span) else {
        refused.append(.init(index: index, code: .malformed, detail: "does not read"))
        continue
      }
      var heads = collection.heads[header.record] ?? []
      switch EndpointLogic.decide(header, heads: heads.map(\.header)) {
      case .same: outcomes.append(.same)
      case .covered(let index):
        outcomes.append(.covered)
        covering.append(heads[index].envelope)
      case .tooManyHeads:
        refused.append(.init(index: index, code: .tooManyHeads, detail: "too many versions"))
      case .store(let dropped):
        outcomes.append(.stored)
        for index in dropped.reversed() { collection.sum.remove(heads.remove(at: index).header) }
        collection.sequence += 1
        heads.append(Head(header: header, envelope: envelope, sequence: collection.sequence))
        collection.heads[header.record] = heads
        collection.sum.insert(header)
      }
    }
    if let refusal = EndpointLogic.refusal(of: refused) { throw refusal }
    if outcomes.contains(.stored) {
      collection.sequence += 1
      collection.commits.append(collection.sequence)
      collection.chain[collection.sequence] = .random()
    }
    let pushed = collection.clients[request.replica]?.pushedThrough ?? 0
    collection.clients[request.replica]?.pushedThrough = max(pushed, request.pushedThrough)
    return PushAnswer(
      before: before, through: collection.lastCommit, chain: collection.lastChain,
      outcomes: outcomes, covering: covering)
  }

  package func fetch(
    _ request: FetchRequest, vault: VaultID
  ) async throws(EndpointFailure) -> FetchAnswer {
    let collection = state.withLock { $0.vaults[vault]?[request.collection] }
    var envelopes = EnvelopeList()
    for record in request.records {
      for head in collection?.heads[record] ?? [] { envelopes.append(head.envelope) }
    }
    return FetchAnswer(envelopes: envelopes)
  }
}
