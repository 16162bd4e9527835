internal import NyaruEngine
internal import Synchronization

/// Another open database, asked with the same messages as an endpoint.
///
/// It gives out its feed, and takes no pushes: the other direction is a pull by the other side. Its
/// epoch changes with its author, so that a database which forgot something is compared whole; its
/// chain never does, since a feed is never rewritten under one author.
final class DirectoryPeer: SyncPeer {
  /// What the peer gives out of one collection, and up to where.
  private struct Source {
    var store: any RecordStore
    var stable: UInt64
    var epoch: Epoch

    /// The local number of the side that asks, if it still has what came from it; else 0.
    var skipped: UInt32
  }

  private let database: any ReplicaDatabase
  private let keys: VaultKeys
  private let requester: any ReplicaDatabase
  private let isOnlyAsking: Bool
  private let sources = Mutex([CollectionTag: Source]())
  private let counters = Mutex(Traffic())

  init(
    _ database: any ReplicaDatabase, keys: VaultKeys, requester: any ReplicaDatabase,
    isOnlyAsking: Bool
  ) {
    self.database = database
    self.keys = keys
    self.requester = requester
    self.isOnlyAsking = isOnlyAsking
  }

  var traffic: Traffic { counters.withLock { $0 } }

  /// The epoch of a collection of a database.
  static func epoch(of store: any RecordStore, in database: any ReplicaDatabase) -> Epoch {
    var writer = ByteWriter(capacity: 48)
    database.databaseID.encode(into: &writer)
    database.author.encode(into: &writer)
    store.collectionID.encode(into: &writer)
    // A hash is longer than an identity.
    return Epoch(SHA256.hash(writer.bytes)) ?? .none
  }

  func session(_ request: SessionRequest) async throws(PeerFailure) -> SessionAnswer {
    let answer = try await reporting { try await self.answer(request) }
    count(request.encoded().count + answer.encoded().count)
    return answer
  }

  func pull(_ request: PullRequest) async throws(PeerFailure) -> PullPage {
    let source = sources.withLock { $0[request.collection] }
    guard let source, source.epoch == request.epoch else {
      throw .endpoint(EndpointFailure(.epochChanged, "another author writes there now"))
    }
    let page = try await reporting { try await self.page(source, request) }
    count(page.envelopes.size)
    return page
  }

  func push(_ request: PushRequest) async throws(PeerFailure) -> PushAnswer {
    throw .endpoint(EndpointFailure(.methodNotAllowed, "a directory pulls for itself"))
  }

  func fetch(_ request: FetchRequest) async throws(PeerFailure) -> FetchAnswer {
    let source = sources.withLock { $0[request.collection] }
    let answer = try await reporting { try self.catalogs(source, request) }
    count(answer.envelopes.size)
    return answer
  }

  private func answer(_ request: SessionRequest) async throws -> SessionAnswer {
    let tags = TagMaker(keys)
    let claims = Dictionary(request.claims.map { ($0.collection, $0) }) { first, _ in first }
    let known = try requesterCheckpoint()
    let requesterEpochs = try await requesterEpochs(tags)
    var statuses: [SessionAnswer.Status] = []
    for store in try await database.stores() {
      let tag = tags.collection(store.name)
      let source = Source(
        store: store, stable: try await store.sync(), epoch: Self.epoch(of: store, in: database),
        skipped: try skipped(tag, known: known, requesterEpochs: requesterEpochs))
      sources.withLock { $0[tag] = source }
      statuses.append(Self.status(of: source, tag: tag, claim: claims[tag]))
    }
    try rememberSent(known)
    return SessionAnswer(endpoint: database.databaseID, time: 0, collections: statuses)
  }

  private static func status(
    of source: Source, tag: CollectionTag, claim: SessionRequest.Claim?
  ) -> SessionAnswer.Status {
    var isChainValid = false
    if let claim, claim.epoch == source.epoch, claim.pulledThrough <= source.stable {
      isChainValid = claim.chain == (claim.pulledThrough == 0 ? .none : source.epoch)
    }
    return SessionAnswer.Status(
      collection: tag, epoch: source.epoch, head: source.stable, chain: source.epoch,
      isChainValid: isChainValid, isTicketRefused: false, commonTicket: nil, pushedThrough: 0,
      count: 1, root: .none)
  }
}

/// What the asking side has, and what it is told.
extension DirectoryPeer {
  private typealias Known = (number: UInt32, checkpoint: PeerCheckpoint)

  private func requesterCheckpoint() throws -> Known? {
    let peers = try SyncDirectory(database.syncDirectory).peers()
    let known = peers.first { $0.value.peer == requester.databaseID }
    return known.map { ($0.key, $0.value) }
  }

  private func requesterEpochs(_ tags: TagMaker) async throws -> [CollectionTag: Epoch] {
    var epochs: [CollectionTag: Epoch] = [:]
    for store in try await requester.stores() {
      epochs[tags.collection(store.name)] = Self.epoch(of: store, in: requester)
    }
    return epochs
  }

  /// States that came from there unchanged need not go back, unless that side forgot something.
  private func skipped(
    _ tag: CollectionTag, known: Known?, requesterEpochs: [CollectionTag: Epoch]
  ) throws -> UInt32 {
    guard let known, let entry = known.checkpoint.collections[tag],
      entry.epoch == requesterEpochs[tag], entry.replica == database.author
    else { return 0 }
    if entry.hasOneEpoch { return known.number }
    // It forgot something once; since then both sides must have been compared whole.
    let peers = try SyncDirectory(requester.syncDirectory).peers()
    let theirs = peers.values.first { $0.peer == database.databaseID }?.collections[tag]
    guard let theirs, !theirs.isReconciling, theirs.replica == requester.author else { return 0 }
    return known.number
  }

  /// Own writes may leave from here on, so that fact is durable first.
  private func rememberSent(_ known: Known?) throws {
    if isOnlyAsking { return }
    let directory = SyncDirectory(database.syncDirectory)
    let number = try known?.number ?? directory.unusedNumber()
    let old = known?.checkpoint
    var checkpoint =
      old ?? PeerCheckpoint(peer: requester.databaseID, address: requester.path)
    for (tag, source) in sources.withLock({ $0 }) {
      var entry =
        checkpoint.collections[tag]
        ?? CollectionCheckpoint(
          collectionID: source.store.collectionID, replica: database.author)
      entry.sentThrough = max(entry.sentThrough, source.stable)
      checkpoint.collections[tag] = entry
    }
    if checkpoint != old { try directory.save(checkpoint, number: number) }
  }

  private func page(_ source: Source, _ request: PullRequest) async throws -> PullPage {
    let limit = FeedLimit(count: request.countLimit, size: request.sizeLimit)
    let feed = try await source.store.feed(
      after: request.since, through: source.stable, limit: limit)
    let records = feed.records.filter { record in
      !(record.state.isDeleted && record.sequence <= request.markersAfter)
    }
    let items = try await Offer.items(
      records, source: source.skipped, known: nil, blocked: [], keys: keys,
      collection: request.collection)
    return PullPage(
      envelopes: try await Offer.seal(
        items, keys: keys, collection: request.collection, compresses: false),
      through: feed.through, chain: source.epoch, hasMore: feed.through < source.stable)
  }

  private func catalogs(_ source: Source?, _ request: FetchRequest) throws -> FetchAnswer {
    var list = EnvelopeList()
    let tags = TagMaker(keys)
    if let source, request.records.contains(tags.catalog(of: request.collection)) {
      let catalog = Catalog(name: source.store.name, idField: source.store.idField)
      try catalog.seal(keys: keys, collection: request.collection, into: &list)
    }
    return FetchAnswer(envelopes: list)
  }

  private func count(_ bytes: Int) {
    counters.withLock { traffic in
      traffic.requests += 1
      traffic.bytes += bytes
    }
  }

  private func reporting<Answer>(
    _ work: () async throws -> Answer
  ) async throws(PeerFailure) -> Answer {
    do { return try await work() } catch { throw .database("\(database.path): \(error)") }
  }
}
