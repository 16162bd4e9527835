package import NyaruEngine
package import NyaruSyncLog
internal import Synchronization

/// An endpoint's store on the engine: one of its collections for each collection of a vault.
///
/// It never has a key: what it keeps are sealed states, the tags that name them, and who pushed
/// how far. Every answer is about what is durable.
package final class EmbeddedEndpointStore: EndpointStore {
  private struct State {
    var collections: [VaultID: [CollectionTag: EndpointCollection]] = [:]
    var compacting: Task<Void, Never>?
    var isClosed = false
  }

  /// Garbage below this size is left alone.
  private static let garbageSizeMinimum: UInt64 = 16 << 20

  private static let fragmentationLimit = 0.5

  private let database: NyaruDB
  private let endpoint: Identity
  private let clock: ServerClock
  private let limits: SessionAnswer.Limits
  private let space: DiskSpace
  private let state = Mutex(State())

  private init(
    database: NyaruDB, clock: ServerClock, limits: SessionAnswer.Limits, space: DiskSpace
  ) {
    self.database = database
    self.space = space
    self.clock = clock
    self.limits = limits
    endpoint = Identity(database.directory.databaseID) ?? .none
  }

  /// Opens the store in a directory, creating it where it is missing.
  package static func open(
    path: String, clock: ServerClock = .system, limits: SessionAnswer.Limits = .init()
  ) async throws(EndpointServerError) -> EmbeddedEndpointStore {
    let database: NyaruDB
    do throws(NyaruError) { database = try NyaruDB(path: path) } catch {
      if case .databaseLocked = error { throw .busy(error.description) }
      throw .store(error.description)
    }
    return try await open(database, clock: clock, limits: limits, space: .disk(of: path))
  }

  /// Takes over an open database.
  package static func open(
    _ database: NyaruDB, clock: ServerClock = .system, limits: SessionAnswer.Limits = .init(),
    space: DiskSpace = DiskSpace { nil }
  ) async throws(EndpointServerError) -> EmbeddedEndpointStore {
    let store = EmbeddedEndpointStore(
      database: database, clock: clock, limits: limits, space: space)
    do {
      for listing in try database.directory.listCollections() {
        let name = try listing.manifest.get().name
        guard let (vault, collection) = Self.parse(name) else {
          throw EndpointServerError.store(
            "\(database.path) holds documents (\(name)); an endpoint needs a directory of its own")
        }
        _ = try await store.open(vault, collection)
      }
    } catch {
      try? await database.close()  // The first error is the one to report.
      throw error as? EndpointServerError ?? .store("\(error)")
    }
    return store
  }

  /// Makes everything durable and lets another process open the directory.
  package func close() async throws {
    let compacting = state.withLock { state in
      state.isClosed = true
      return state.compacting
    }
    await compacting?.value
    try await database.close()
  }

  package func session(
    _ request: SessionRequest, vault: VaultID, mayCreate: Bool
  ) async throws(EndpointFailure) -> SessionAnswer {
    let claims = Dictionary(request.claims.map { ($0.collection, $0) }) { first, _ in first }
    if mayCreate, !request.isOnlyAsking {
      for claim in request.claims { try await create(vault, claim.collection) }
    }
    var statuses: [SessionAnswer.Status] = []
    let collections = state.withLock { $0.collections[vault] ?? [:] }
    for (tag, collection) in collections.sorted(by: { $0.key < $1.key }) {
      let claim = claims[tag]
      do throws(EndpointFailure) {
        statuses.append(
          try await collection.mending { () throws(EndpointFailure) in
            try await self.status(of: collection, tag: tag, request: request, claim: claim)
          })
      } catch {
        guard error.code == .epochChanged else { throw error }
        // It began anew just now, and an answer can say so.
        statuses.append(
          try await status(of: collection, tag: tag, request: request, claim: claim))
      }
    }
    return SessionAnswer(
      endpoint: endpoint, time: clock.milliseconds(), limits: limits, collections: statuses)
  }

  package func pull(
    _ request: PullRequest, vault: VaultID
  ) async throws(EndpointFailure) -> PullPage {
    try await collection(vault, request.collection).pull(request)
  }

  package func push(
    _ request: PushRequest, vault: VaultID
  ) async throws(EndpointFailure) -> PushAnswer {
    let collection = try collection(vault, request.collection)
    guard space.hasRoom || request.envelopes.isEmpty else {
      throw EndpointFailure(.readOnly, "the endpoint's disk is almost full")
    }
    let answer = try await collection.push(request, at: clock.milliseconds())
    compactIfDue(collection)
    return answer
  }

  package func fetch(
    _ request: FetchRequest, vault: VaultID
  ) async throws(EndpointFailure) -> FetchAnswer {
    var envelopes = EnvelopeList()
    guard let found = find(vault, request.collection) else {
      return FetchAnswer(envelopes: envelopes)
    }
    let records = try await found.mending { () throws(EndpointFailure) in
      try request.records.map { (record) throws(EndpointFailure) in try found.heads(of: record) }
    }
    var newest: UInt64 = 0
    for (heads, sequence) in records {
      newest = max(newest, sequence)
      for head in heads { envelopes.append(head) }
    }
    if newest > found.core.reader.durableSequence { try await found.sync() }
    return FetchAnswer(envelopes: envelopes)
  }

  private func status(
    of collection: EndpointCollection, tag: CollectionTag, request: SessionRequest,
    claim: SessionRequest.Claim?
  ) async throws(EndpointFailure) -> SessionAnswer.Status {
    let current = try await collection.status()
    var status = SessionAnswer.Status(
      collection: tag, epoch: current.state.epoch, head: current.head,
      chain: current.state.chain, isChainValid: false, isTicketRefused: false,
      commonTicket: nil, pushedThrough: try collection.replica(request.replica).pushedThrough,
      count: current.state.sum.count, root: current.state.sum.root)
    guard let claim else { return status }
    if claim.epoch == current.state.epoch, claim.pulledThrough <= current.head {
      status.isChainValid = try collection.chain(at: claim.pulledThrough) == claim.chain
    }
    let known = claim.knownTickets
    let decision =
      request.isOnlyAsking
      ? EndpointLogic.decide(
        request.ticket, known: known,
        remembered: try collection.replica(request.replica).tickets)
      : try await collection.register(
        request.ticket, known: known, of: request.replica, at: clock.milliseconds())
    if case .refused(let common) = decision {
      status.isTicketRefused = true
      status.commonTicket = common
    }
    return status
  }

  // MARK: Collections

  private static func name(_ vault: VaultID, _ collection: CollectionTag) -> String {
    "\(vault).\(collection)"
  }

  private static func parse(_ name: String) -> (VaultID, CollectionTag)? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let vault = VaultID(hexadecimal: parts[0]),
      let collection = CollectionTag(hexadecimal: parts[1]), Self.name(vault, collection) == name
    else { return nil }
    return (vault, collection)
  }

  private func find(_ vault: VaultID, _ tag: CollectionTag) -> EndpointCollection? {
    state.withLock { $0.collections[vault]?[tag] }
  }

  private func collection(
    _ vault: VaultID, _ tag: CollectionTag
  ) throws(EndpointFailure) -> EndpointCollection {
    guard let found = find(vault, tag) else {
      throw EndpointFailure(.unknownCollection, "the vault has no such collection")
    }
    return found
  }

  private func create(_ vault: VaultID, _ tag: CollectionTag) async throws(EndpointFailure) {
    let (isThere, count) = state.withLock { state in
      let collections = state.collections[vault]
      return (collections?[tag] != nil, collections?.count ?? 0)
    }
    if isThere { return }
    guard count < ProtocolLimits.collectionCount else {
      throw EndpointFailure(
        .forbidden, "a vault has at most \(ProtocolLimits.collectionCount) collections")
    }
    _ = try await open(vault, tag)
  }

  private func open(
    _ vault: VaultID, _ tag: CollectionTag
  ) async throws(EndpointFailure) -> EndpointCollection {
    let core: CollectionCore
    do throws(NyaruError) {
      core = try await database.core(Self.name(vault, tag), options: nil)
    } catch {
      throw EndpointFailure(error)
    }
    let collection = EndpointCollection(core: core)
    try await collection.prepare()
    state.withLock { $0.collections[vault, default: [:]][tag] = collection }
    return collection
  }

  /// Gives space back where it is worth it, one collection at a time, beside the requests.
  private func compactIfDue(_ collection: EndpointCollection) {
    let statistics = collection.core.reader.statistics
    let share = Double(statistics.garbage) / Double(max(1, statistics.size))
    guard statistics.garbage >= Self.garbageSizeMinimum, share >= Self.fragmentationLimit else {
      return
    }
    state.withLock { state in
      guard state.compacting == nil, !state.isClosed else { return }
      state.compacting = Task { [self] in
        // A failed write makes the collection refuse the next push, which then reports it.
        _ = try? await collection.core.compact(minimumGarbage: Self.fragmentationLimit)
        self.state.withLock { $0.compacting = nil }
      }
    }
  }
}
