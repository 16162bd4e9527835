internal import FoundationEssentials
public import NyaruEngine

/// A database that exchanges what it holds with others.
///
/// A sync happens in the call that asks for it and at no other time. It needs no agreement about
/// time and no one in charge: edits on both sides merge, versions written without knowledge of one
/// another stand side by side until somebody resolves them, and a sync that ends anywhere goes on
/// with the next call. Endpoints see neither ids nor contents.
public final class Replica: Sendable {
  let database: any ReplicaDatabase

  /// Milliseconds since 1970.
  let now: @Sendable () -> UInt64

  /// Lets an open database sync; the database stays usable meanwhile.
  public convenience init(_ database: NyaruDB) {
    self.init(database: EngineDatabase(database))
  }

  package init(
    database: any ReplicaDatabase, now: @escaping @Sendable () -> UInt64 = Replica.systemTime
  ) {
    self.database = database
    self.now = now
  }

  package static let systemTime: @Sendable () -> UInt64 = {
    UInt64(max(0, Date().timeIntervalSince1970 * 1000))
  }

  /// Exchanges everything in both directions.
  ///
  /// When it returns, the other side has what was here, and this database has what was there, as
  /// far as the report does not say otherwise.
  ///
  /// - Throws: ``SyncError``. What was exchanged before stays.
  public func sync(
    with peer: Peer, options: SyncOptions = SyncOptions()
  ) async throws(SyncError) -> SyncReport {
    try await exchange(peer, .both, options)
  }

  /// Only sends.
  ///
  /// - Throws: ``SyncError``, as with ``sync(with:options:)``.
  public func push(
    to peer: Peer, options: SyncOptions = SyncOptions()
  ) async throws(SyncError) -> SyncReport {
    try await exchange(peer, .push, options)
  }

  /// Only receives.
  ///
  /// - Throws: ``SyncError``, as with ``sync(with:options:)``.
  public func pull(
    from peer: Peer, options: SyncOptions = SyncOptions()
  ) async throws(SyncError) -> SyncReport {
    try await exchange(peer, .pull, options)
  }

  /// Off the caller's actor: sealing and merging many records takes a while.
  @concurrent
  private func exchange(
    _ peer: Peer, _ direction: CollectionExchange.Direction, _ options: SyncOptions
  ) async throws(SyncError) -> SyncReport {
    let start = ContinuousClock.now
    ExchangeMessage.begin(database.path, peer, direction)
    do {
      var report =
        switch peer.kind {
        case .endpoint(let transport, let address, let vault):
          try await syncEndpoint(
            transport, address: address, vault: vault, direction: direction, options: options)
        case .directory(let other):
          try await syncDirectory(other, direction: direction, options: options)
        }
      report.seconds = (ContinuousClock.now - start) / .seconds(1)
      ExchangeMessage.end(database.path, report)
      return report
    } catch {
      let error = SyncError(error)
      ExchangeMessage.failure(database.path, error)
      throw error
    }
  }

  private func syncEndpoint(
    _ transport: any EndpointTransport, address: String, vault: VaultID,
    direction: CollectionExchange.Direction, options: SyncOptions
  ) async throws -> SyncReport {
    let key = try await Vault.key(of: database)
    let keys = VaultKeys(key: key)
    guard keys.vault == vault else {
      throw SyncError.vaultMismatch(local: "\(keys.vault)", remote: "\(vault)")
    }
    let peer = EndpointPeer(transport: transport, vault: vault)
    if options.isDryRun {
      let run = DryRun(
        database: database, peer: peer, keys: keys, address: address, direction: direction)
      return SyncReport(try await run.run(), peer.traffic, isVerified: false)
    }
    let lock = try lock(database)
    defer { withExtendedLifetime(lock) {} }
    try await database.shareVault()
    let run = PeerRun(
      database: database, peer: peer, keys: keys, address: address, direction: direction,
      progress: options.progress)
    try await run.run(now: now() / 1000)
    return SyncReport(run.tally, peer.traffic, isVerified: run.tally.isComplete)
  }

  private func syncDirectory(
    _ other: any ReplicaDatabase, direction: CollectionExchange.Direction, options: SyncOptions
  ) async throws -> SyncReport {
    guard other.databaseID != database.databaseID else {
      throw SyncError.busy(path: other.path)
    }
    let membership = try await Vault.common(database, other, joins: options.joins)
    if options.isDryRun {
      return try await dryRun(other, keys: VaultKeys(key: membership.key), direction: direction)
    }
    // In one order everywhere, so that two syncs of two databases cannot wait for each other.
    let ordered = [database, other].sorted { $0.databaseID < $1.databaseID }
    let locks = try ordered.map { try lock($0) }
    defer { withExtendedLifetime(locks) {} }
    try await membership.apply()
    var run = DirectoryRun(
      local: database, remote: other, keys: VaultKeys(key: membership.key),
      direction: direction, progress: options.progress)
    try await run.run(now: now() / 1000)
    let isVerified = run.tally.isComplete && direction == .both
    return SyncReport(run.tally, run.traffic, isVerified: isVerified)
  }

  private func dryRun(
    _ other: any ReplicaDatabase, keys: VaultKeys, direction: CollectionExchange.Direction
  ) async throws -> SyncReport {
    var tally = Tally()
    var traffic = Traffic()
    func run(_ source: any ReplicaDatabase, _ target: any ReplicaDatabase) async throws -> Tally {
      let peer = DirectoryPeer(source, keys: keys, requester: target, isOnlyAsking: true)
      let run = DryRun(
        database: target, peer: peer, keys: keys, address: source.path, direction: .receive)
      let tally = try await run.run()
      traffic.requests += peer.traffic.requests
      traffic.bytes += peer.traffic.bytes
      return tally
    }
    if direction.pulls { tally = try await run(other, database) }
    if direction.pushes { tally.sent = try await run(database, other).applied }
    return SyncReport(tally, traffic, isVerified: false)
  }

  private func lock(_ database: any ReplicaDatabase) throws -> any DirectoryLock {
    do throws(LockFailure) {
      return try SyncDirectory(database.syncDirectory).lock()
    } catch {
      switch error {
      case .held: throw SyncError.busy(path: database.path)
      case .io(let failure): throw failure
      }
    }
  }
}

extension SyncReport {
  init(_ tally: Tally, _ traffic: Traffic, isVerified: Bool) {
    sent = tally.sent
    received = tally.received
    applied = tally.applied
    same = tally.same
    conflicts = tally.conflicts
    parked = tally.parked
    quarantined = tally.quarantined
    bytes = traffic.bytes
    requests = traffic.requests
    verified = isVerified
    reconciled = tally.isReconciled
    reidentified = tally.isReidentified
    problems = tally.problems
  }
}

/// The other side of a sync.
public struct Peer: Sendable {
  enum Kind: Sendable {
    case endpoint(any EndpointTransport, address: String, vault: VaultID)
    case directory(any ReplicaDatabase)
  }

  let kind: Kind

  /// An endpoint behind a transport, which the address names in reports and checkpoints.
  package static func endpoint(
    _ transport: any EndpointTransport, address: String, vault: VaultID
  ) -> Peer {
    Peer(kind: .endpoint(transport, address: address, vault: vault))
  }

  /// Another open database.
  public static func directory(_ database: NyaruDB) -> Peer {
    directory(EngineDatabase(database))
  }

  package static func directory(_ database: any ReplicaDatabase) -> Peer {
    Peer(kind: .directory(database))
  }
}
