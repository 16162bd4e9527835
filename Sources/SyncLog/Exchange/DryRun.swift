internal import NyaruEngine

/// What a sync would do, found out without writing anything on either side.
struct DryRun {
  let database: any ReplicaDatabase
  let peer: any SyncPeer
  let keys: VaultKeys
  let address: String
  let direction: CollectionExchange.Direction

  /// Where the database stands with the peer; nothing is changed.
  private struct Place {
    var number: UInt32 = 0
    var checkpoint: PeerCheckpoint?
  }

  func run() async throws -> Tally {
    let tags = TagMaker(keys)
    let stores = try await database.stores()
    let place = try await place()
    let claims = stores.compactMap { store in
      let tag = tags.collection(store.name)
      return place.checkpoint?.collections[tag].map { entry in
        SessionRequest.Claim(
          collection: tag, epoch: entry.epoch, pulledThrough: entry.pulledThrough,
          chain: entry.chain, pushedThrough: entry.pushedThrough,
          knownTickets: entry.tickets.map(\.ticket.high))
      }
    }
    let answer = try await peer.session(
      SessionRequest(
        replica: database.author, ticket: .random(), isOnlyAsking: true, claims: claims))
    var tally = Tally()
    var statuses = Dictionary(answer.collections.map { ($0.collection, $0) }) { first, _ in first }
    for store in stores {
      let tag = tags.collection(store.name)
      let entry = place.checkpoint?.collections[tag]
      let status = statuses.removeValue(forKey: tag)
      try await compare(store, tag, status, entry: entry, number: place.number, into: &tally)
    }
    if direction.pulls {
      for status in statuses.values {
        tally.received += try await pages(status, since: 0, chain: .none) { _ in }
      }
      tally.applied += statuses.isEmpty ? 0 : tally.received - tally.applied - tally.same
    }
    return tally
  }

  private func place() async throws -> Place {
    let peers = try SyncDirectory(database.syncDirectory).peers()
    if let known = peers.first(where: { $0.value.address == address }) {
      return Place(number: known.key, checkpoint: known.value)
    }
    let answer = try await peer.session(
      SessionRequest(
        replica: database.author, ticket: .random(), isOnlyAsking: true, claims: []))
    guard let known = peers.first(where: { $0.value.peer == answer.endpoint }) else {
      return Place()
    }
    return Place(number: known.key, checkpoint: known.value)
  }

  private func compare(
    _ store: any RecordStore, _ tag: CollectionTag, _ status: SessionAnswer.Status?,
    entry: CollectionCheckpoint?, number: UInt32, into tally: inout Tally
  ) async throws {
    var isKnown = false
    if let entry, let status {
      isKnown =
        entry.epoch == status.epoch && status.isChainValid && entry.replica == database.author
        && entry.collectionID == store.collectionID
    }
    var heads: Set<Intake.HeadKey> = []
    if direction.pulls, let status, status.epoch != .none {
      let since = isKnown ? entry?.pulledThrough ?? 0 : 0
      var opened: [OpenedEnvelope] = []
      let chain = since == 0 ? .none : entry?.chain ?? .none
      tally.received += try await pages(status, since: since, chain: chain) { opened += $0 }
      for envelope in opened {
        heads.insert(Intake.HeadKey(envelope.header))
        let current = try await store.state(of: envelope.idKey)
        let rule = MergeRule(replica: database.author, sentThrough: .max, source: number)
        let dot = Dot(replica: database.author, sequence: 1)
        switch rule.change(current, envelope.state, dot) {
        case .keep, .refuse: tally.same += 1
        case .write, .stop: tally.applied += 1
        }
      }
    }
    guard direction.pushes else { return }
    let isWhole = !isKnown || entry?.isReconciling ?? true
    var after = isKnown ? min(entry?.pushedThrough ?? 0, status?.pushedThrough ?? 0) : 0
    let stable = try await store.sync()
    while after < stable {
      let page = try await store.feed(after: after, through: stable, limit: FeedLimit())
      let items = try await Offer.items(
        page.records, source: number,
        receivedAfter: isWhole ? (isKnown ? entry?.receivedAfter : nil) ?? .max : 0, known: heads,
        blocked: [], keys: keys,
        collection: tag)
      tally.sent += items.count
      after = page.through
    }
  }

  /// Reads all pages, and counts the records in them.
  private func pages(
    _ status: SessionAnswer.Status, since: UInt64, chain: ChainValue,
    _ take: ([OpenedEnvelope]) -> Void
  ) async throws -> Int {
    var (since, chain) = (since, chain)
    var count = 0
    while since < status.head {
      let page = try await peer.pull(
        PullRequest(
          collection: status.collection, epoch: status.epoch, since: since, chain: chain))
      let results = try await EnvelopeBatch.open(
        page.envelopes, keys: keys, collection: status.collection)
      let records = results.compactMap { try? $0.get() }.filter { !$0.idKey.isEmpty }
      count += records.count
      take(records)
      guard page.hasMore, page.through > since else { break }
      (since, chain) = (page.through, page.chain)
    }
    return count
  }
}
