internal import NyaruEngine

/// One sync of a database with one peer: sessions, and all collections in turn.
///
/// It restarts the session where the peer's history or this database's identity changed under way.
/// Every step is durable before the next one relies on it, so it may end anywhere.
final class PeerRun {
  /// Sessions in one run. More means that somebody works against this one.
  private static let sessionLimit = 10

  private let database: any ReplicaDatabase
  private let peer: any SyncPeer
  private let keys: VaultKeys
  private let directory: SyncDirectory
  private let direction: CollectionExchange.Direction
  private let address: String
  private let progress: (@Sendable (SyncProgress) -> Void)?
  private let tags: TagMaker

  /// The peer's local number and checkpoint; none until the peer has said who it is.
  private var number: UInt32 = 0
  private var checkpoint: PeerCheckpoint?
  private var records = 0
  private(set) var tally = Tally()

  init(
    database: any ReplicaDatabase, peer: any SyncPeer, keys: VaultKeys, address: String,
    direction: CollectionExchange.Direction, progress: (@Sendable (SyncProgress) -> Void)?
  ) {
    self.database = database
    self.peer = peer
    self.keys = keys
    self.address = address
    self.direction = direction
    self.progress = progress
    directory = SyncDirectory(database.syncDirectory)
    tags = TagMaker(keys)
  }

  /// Exchanges everything; the sync directory is locked by the caller.
  func run(now: UInt64) async throws {
    try await Reidentification.finish(database, directory: directory)
    try await meetPeer()
    for _ in 0..<Self.sessionLimit {
      do {
        if try await runSession() {
          checkpoint?.lastSync = now
          try save()
          return
        }
      } catch PeerFailure.endpoint(let failure) where Self.needsNewSession(failure) {
        continue
      }
    }
    throw PeerFailure.notAnEndpoint("its history changed with every session")
  }

  private static func needsNewSession(_ failure: EndpointFailure) -> Bool {
    switch failure.code {
    case .epochChanged, .historyChanged, .ticketUnknown, .unknownCollection: true
    default: false
    }
  }

  /// Finds what is remembered of the peer; asks it who it is if its address is new.
  private func meetPeer() async throws {
    let peers = try directory.peers()
    if let known = peers.first(where: { $0.value.address == address }) {
      (number, checkpoint) = (known.key, known.value)
      return
    }
    let answer = try await peer.session(
      SessionRequest(
        replica: database.author, ticket: .random(), isOnlyAsking: true, claims: []))
    try remember(answer.endpoint, among: peers)
  }

  private func remember(_ identity: Identity, among peers: [UInt32: PeerCheckpoint]) throws {
    if let known = peers.first(where: { $0.value.peer == identity }) {
      (number, checkpoint) = (known.key, known.value)
    } else {
      number = try directory.unusedNumber()
      checkpoint = PeerCheckpoint(peer: identity, address: address)
    }
    for (other, peer) in peers where other != number && peer.address == address {
      // It was reached here before, and is not any more.
      var moved = peer
      moved.address = ""
      try directory.save(moved, number: other)
    }
    checkpoint?.address = address
    try save()
  }

  private func save() throws {
    if let checkpoint { try directory.save(checkpoint, number: number) }
  }

  /// - Returns: Whether the sync is complete; if not, it goes on with a new session.
  private func runSession() async throws -> Bool {
    tally.beginSession()
    let stores = try await database.stores()
    let ticket = Ticket.random()
    try await renewIfRecordsWereForgotten(stores)
    let stable = try await prepare(stores, ticket: ticket)
    let answer = try await peer.session(
      SessionRequest(replica: database.author, ticket: ticket, claims: claims(of: stores)))
    guard answer.version == ProtocolLimits.version else {
      throw PeerFailure.notAnEndpoint("it speaks version \(answer.version)")
    }
    guard answer.endpoint == checkpoint?.peer else {
      // Another endpoint answers here now. It may have registered the ticket.
      let before = checkpoint?.collections ?? [:]
      try remember(answer.endpoint, among: try directory.peers())
      for store in stores {
        let tag = tag(store)
        guard var entry = checkpoint?.collections[tag] else {
          // It may be the one from before, restored, which then knows earlier tickets.
          var entry =
            before[tag]
            ?? CollectionCheckpoint(collectionID: store.collectionID, replica: database.author)
          entry.startOver(epoch: .none, replica: database.author, last: stable[tag] ?? 0)
          checkpoint?.collections[tag] = entry
          continue
        }
        entry.add(ticket)
        checkpoint?.collections[tag] = entry
      }
      try save()
      return false
    }
    let hasCatalog = try await compareCatalogs(answer, stores)
    if hasCatalog.createdStores { return false }
    if let bounds = refusedTickets(answer, stores, ticket: ticket) {
      try await reidentify(bounds: bounds)
      return false
    }
    for store in stores where !hasCatalog.mismatched.contains(tag(store)) {
      let status = answer.collections.first { $0.collection == tag(store) }
      guard let status else {
        guard direction.pushes else { continue }
        tally.isComplete = false
        tally.note("\(store.name) is not at the other side, and may not be created there")
        continue
      }
      let isDone = try await run(
        store, status: status, ticket: ticket, limits: answer.limits,
        stable: stable[tag(store)] ?? 0,
        sendsCatalog: !hasCatalog.known.contains(status.collection))
      if !isDone { return false }
    }
    return true
  }

  private func tag(_ store: any RecordStore) -> CollectionTag { tags.collection(store.name) }

  /// A collection that is another one than before has forgotten what its author wrote.
  private func renewIfRecordsWereForgotten(_ stores: [any RecordStore]) async throws {
    let author = database.author
    let isForgotten = stores.contains { store in
      guard let known = checkpoint?.collections[tag(store)] else { return false }
      return known.collectionID != store.collectionID && known.replica == author
    }
    if isForgotten { try await database.renewAuthor() }
  }

  /// Makes durable what the session relies on: what was written, the ticket, what may be sent.
  private func prepare(
    _ stores: [any RecordStore], ticket: Ticket
  ) async throws -> [CollectionTag: UInt64] {
    var stable: [CollectionTag: UInt64] = [:]
    for store in stores {
      let tag = tag(store)
      let sequence = try await store.sync()
      stable[tag] = sequence
      var entry =
        checkpoint?.collections[tag]
        ?? CollectionCheckpoint(collectionID: store.collectionID, replica: database.author)
      if entry.collectionID != store.collectionID {
        entry.collectionID = store.collectionID
        entry.startOver(epoch: .none, replica: database.author, last: sequence)
      }
      entry.add(ticket)
      if direction.pushes { entry.sentThrough = max(entry.sentThrough, sequence) }
      checkpoint?.collections[tag] = entry
    }
    try save()
    return stable
  }

  private func claims(of stores: [any RecordStore]) -> [SessionRequest.Claim] {
    stores.compactMap { store in
      checkpoint?.collections[tag(store)].map { entry in
        SessionRequest.Claim(
          collection: tag(store), epoch: entry.epoch, pulledThrough: entry.pulledThrough,
          chain: entry.chain, pushedThrough: entry.pushedThrough,
          knownTickets: entry.tickets.map(\.ticket.high))
      }
    }
  }
}

/// Collections that one side does not know, or knows otherwise.
extension PeerRun {
  /// What the peer's catalog entries say.
  private struct CatalogComparison {
    var known: Set<CollectionTag> = []
    var mismatched: Set<CollectionTag> = []
    var createdStores = false
  }

  /// Reads the entries of collections whose history here is new; creates those that are missing.
  private func compareCatalogs(
    _ answer: SessionAnswer, _ stores: [any RecordStore]
  ) async throws -> CatalogComparison {
    var result = CatalogComparison()
    for status in answer.collections where status.epoch != .none && status.count > 0 {
      let local = stores.first { tag($0) == status.collection }
      let isKnown = checkpoint?.collections[status.collection]?.epoch == status.epoch
      if isKnown, local != nil {
        result.known.insert(status.collection)
        continue
      }
      for catalog in try await catalogs(of: status.collection) {
        guard let local else {
          guard direction.pulls, tags.collection(catalog.name) == status.collection else {
            continue
          }
          _ = try await database.makeStore(name: catalog.name, idField: catalog.idField)
          result.createdStores = true
          break
        }
        if catalog.idField == local.idField {
          result.known.insert(status.collection)
        } else {
          result.mismatched.insert(status.collection)
          tally.isComplete = false
          let mismatch = SyncError.collectionMismatch(
            collection: local.name, localField: local.idField, remoteField: catalog.idField)
          tally.note("\(mismatch)")
        }
      }
    }
    return result
  }

  private func catalogs(of collection: CollectionTag) async throws -> [Catalog] {
    let answer: FetchAnswer
    do throws(PeerFailure) {
      answer = try await peer.fetch(
        FetchRequest(collection: collection, records: [tags.catalog(of: collection)]))
    } catch {
      // A token that may only push reads nothing; then the entry is pushed, which does no harm.
      if case .endpoint(let failure) = error, failure.code == .forbidden, !direction.pulls {
        return []
      }
      throw error
    }
    let opened = try await EnvelopeBatch.open(
      answer.envelopes, keys: keys, collection: collection)
    return opened.compactMap { result in
      guard let envelope = try? result.get() else { return nil }
      return try? Catalog(envelope.state)
    }
  }
}

/// Identities and collections in turn.
extension PeerRun {
  /// For each collection, up to where own writes are known to be this replica's; `nil` if no
  /// ticket was refused.
  private func refusedTickets(
    _ answer: SessionAnswer, _ stores: [any RecordStore], ticket: Ticket
  ) -> [Identity: UInt64]? {
    guard answer.collections.contains(where: \.isTicketRefused) else { return nil }
    var bounds: [Identity: UInt64] = [:]
    for status in answer.collections {
      guard let entry = checkpoint?.collections[status.collection] else { continue }
      let common = status.isTicketRefused ? status.commonTicket : ticket.high
      bounds[entry.collectionID] = entry.pushedThrough(atTicket: common)
    }
    return bounds
  }

  private func reidentify(bounds: [Identity: UInt64]) async throws {
    tally.isReidentified = true
    try await Reidentification.begin(database, directory: directory, bounds: bounds)
    try await Reidentification.finish(database, directory: directory)
    checkpoint = try directory.peers()[number] ?? checkpoint
  }

  private func run(
    _ store: any RecordStore, status: SessionAnswer.Status, ticket: Ticket,
    limits: SessionAnswer.Limits, stable: UInt64, sendsCatalog: Bool
  ) async throws -> Bool {
    let tag = status.collection
    guard let entry = checkpoint?.collections[tag] else { return true }
    let exchange = CollectionExchange(
      checkpoint: entry, status: status, replica: database.author, direction: direction,
      stableSequence: stable, isUntouched: try await store.isUntouched(), limits: limits)
    let sent = try directory.peers().values.compactMap { $0.collections[tag]?.sentThrough }.max()
    let rule = MergeRule(
      replica: database.author, sentThrough: max(sent ?? 0, entry.sentThrough),
      source: number)
    let intake = Intake(
      store: store, keys: keys, collection: tag, directory: directory, number: number, rule: rule)
    let context = CollectionRun.Context(
      peer: peer, keys: keys, replica: database.author, ticket: ticket, limits: limits,
      save: { [self] in
        checkpoint?.collections[tag] = $0
        try save()
      },
      progress: { [self] in report($0, $1, store.name) })
    let collectionRun = CollectionRun(
      context, collection: tag, exchange: exchange, intake: intake, stable: stable,
      sendsCatalog: sendsCatalog && direction.pushes)
    defer { tally.add(collectionRun.tally) }
    guard case .reidentify(let bound) = try await collectionRun.run() else { return true }
    try await reidentify(bounds: [store.collectionID: bound])
    return false
  }

  private func report(_ phase: SyncProgress.Phase, _ count: Int, _ collection: String) {
    records += count
    progress?(
      SyncProgress(
        collection: collection, phase: phase, records: records, bytes: peer.traffic.bytes))
  }
}
