internal import NyaruEngine

/// One sync of two open databases: each pulls from the other, until nothing is new.
struct DirectoryRun {
  /// Times that both sides pull because merges wrote something new.
  private static let roundLimit = 8

  let local: any ReplicaDatabase
  let remote: any ReplicaDatabase
  let keys: VaultKeys
  let direction: CollectionExchange.Direction
  let progress: (@Sendable (SyncProgress) -> Void)?

  /// What was done, as the local side sees it.
  private(set) var tally = Tally()
  private(set) var traffic = Traffic()

  init(
    local: any ReplicaDatabase, remote: any ReplicaDatabase, keys: VaultKeys,
    direction: CollectionExchange.Direction, progress: (@Sendable (SyncProgress) -> Void)?
  ) {
    self.local = local
    self.remote = remote
    self.keys = keys
    self.direction = direction
    self.progress = progress
  }

  mutating func run(now: UInt64) async throws {
    // What was begun ends first, on both sides: identities must not change under way.
    for database in [local, remote] {
      try await Reidentification.finish(database, directory: SyncDirectory(database.syncDirectory))
    }
    for round in 0..<Self.roundLimit {
      var received = Tally()
      var sent = Tally()
      if direction.pulls { received = try await pull(from: remote, into: local, now: now) }
      if direction.pushes { sent = try await pull(from: local, into: remote, now: now) }
      add(received: received, sent: sent, isFirst: round == 0)
      let isChanged = sent.merged > 0 || received.isReidentified || sent.isReidentified
      if direction != .both || !isChanged { return }
    }
    tally.isComplete = false
  }

  private mutating func pull(
    from source: any ReplicaDatabase, into target: any ReplicaDatabase, now: UInt64
  ) async throws -> Tally {
    let peer = DirectoryPeer(source, keys: keys, requester: target, isOnlyAsking: false)
    let run = PeerRun(
      database: target, peer: peer, keys: keys, address: source.path, direction: .receive,
      progress: progress)
    defer {
      traffic.requests += peer.traffic.requests
      traffic.bytes += peer.traffic.bytes
    }
    try await run.run(now: now)
    try notePushed(from: source, to: target)
    return run.tally
  }

  /// What the other side has pulled counts as pushed to it.
  private func notePushed(
    from source: any ReplicaDatabase, to target: any ReplicaDatabase
  ) throws {
    let theirs = try SyncDirectory(target.syncDirectory).peers().values
      .first { $0.peer == source.databaseID }
    let directory = SyncDirectory(source.syncDirectory)
    for (number, peer) in try directory.peers() where peer.peer == target.databaseID {
      var changed = peer
      for (tag, entry) in theirs?.collections ?? [:] {
        changed.collections[tag]?.pushedThrough = entry.pulledThrough
      }
      if changed != peer { try directory.save(changed, number: number) }
    }
  }

  private mutating func add(received: Tally, sent: Tally, isFirst: Bool) {
    var local = received
    local.sent = sent.received
    // What both sides compared counts once.
    local.same += sent.same
    local.quarantined += sent.quarantined
    local.parked += sent.parked
    local.isReconciled = received.isReconciled || sent.isReconciled
    local.isReidentified = received.isReidentified || sent.isReidentified
    local.isComplete = received.isComplete && sent.isComplete
    for problem in sent.problems { local.note(problem) }
    if !isFirst { tally.beginSession() }
    tally.add(local)
  }
}
