import NyaruEngine
import NyaruSyncLog
import TestSupport

/// One history of a record: replicas that write, sync, fail and are copied, driven by one seed.
///
/// Everything that syncs is the code that ships; only stores, disks and networks are simulated. The
/// world remembers what was written, what was removed by somebody who saw it, and what a fault
/// destroyed, and judges the end by that.
final class ModelWorld {
  /// A replica and its clock.
  private final class Member {
    let database: MemoryDatabase
    var clock: Int

    init(_ database: MemoryDatabase, clock: Int) {
      self.database = database
      self.clock = clock
    }

    var store: MemoryStore { database.store("things") }
  }

  /// What is wrong at the end of a history.
  struct Verdict: Equatable {
    var isDiverged = false
    var isLost = false
    var isReturned = false
    var isRestless = false
    var isBad: Bool { isDiverged || isLost || isReturned || isRestless }
  }

  private static let recordID: [UInt8] = [1, 0x61]

  private let modelCase: ModelCase
  private let broken: BrokenRule?
  private let key = SecretKey([UInt8](repeating: 9, count: 32).span)
  private var random: SeededGenerator
  private var members: [Member] = []
  private var endpoints: [MemoryEndpoint] = []
  private var networks: [SimulatedNetwork] = []
  private var backups: [MemoryEndpoint.Backup?]
  private var nextContent: UInt64 = 1
  private var nextName = 0
  private var written: Set<UInt64> = []
  private var removed: Set<UInt64> = []
  private var gone: Set<UInt64> = []

  init(_ modelCase: ModelCase, seed: UInt64, broken: BrokenRule? = nil) {
    self.modelCase = modelCase
    self.broken = broken
    random = SeededGenerator(seed: seed)
    backups = Array(repeating: nil, count: modelCase.endpoints)
    for _ in 0..<modelCase.endpoints {
      let endpoint = MemoryEndpoint()
      endpoints.append(endpoint)
      let store: any EndpointStore =
        broken == .ticket ? LenientEndpoint(endpoint) : endpoint
      networks.append(SimulatedNetwork(store, seed: random.next()))
    }
    for _ in 0..<modelCase.replicas {
      members.append(Member(MemoryDatabase(newName(), key: key), clock: int(0...3)))
    }
  }

  func run() async throws -> Verdict {
    for _ in 0..<modelCase.steps { try await step() }
    return try await settle()
  }

  private func newName() -> String {
    nextName += 1
    return "replica \(nextName)"
  }

  private func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < probability
  }
}

/// What happens.
extension ModelWorld {
  private func step() async throws {
    await harmEndpoints()
    let member = members[int(0...members.count - 1)]
    let isWritten = member.store.current(Self.recordID) != nil
    switch Double.random(in: 0..<1, using: &random) {
    case ..<0.4: write(member)
    case ..<(0.4 + modelCase.copies) where members.count < modelCase.replicas + 2:
      await copy(member)
    case ..<0.46 where isWritten && chance(modelCase.damage * 20): await damage(member)
    case ..<0.5 where standing(member).count > 1 && chance(0.5):
      removed.formUnion(standing(member))
      member.store.resolve(Self.recordID, newContent(), now: UInt64(member.clock))
    case ..<0.6 where modelCase.hasPeers: await pull(member)
    default: await sync(member, with: int(0...endpoints.count - 1))
    }
  }

  private func write(_ member: Member) {
    member.clock = max(0, member.clock + int(0...2) + (chance(0.05) ? int(0...1) * 2000 - 1000 : 0))
    let seen = standing(member)
    if chance(modelCase.deletes) {
      guard let first = seen.first else { return }
      removed.insert(first)
      member.store.delete(Self.recordID)
    } else {
      removed.formUnion(seen.prefix(1))
      member.store.write(Self.recordID, newContent(), now: UInt64(member.clock))
    }
  }

  private func newContent() -> [UInt8] {
    written.insert(nextContent)
    defer { nextContent += 1 }
    var writer = ByteWriter()
    writer.write(nextContent)
    return writer.finish()
  }

  /// Contents that stand at a member, the seen one first.
  private func standing(_ member: Member) -> [UInt64] {
    member.store.current(Self.recordID).map(Self.contents) ?? []
  }

  private static func contents(_ state: RecordState) -> [UInt64] {
    state.entries.map { $0.body.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
  }

  private func copy(_ member: Member) async {
    let database = await member.database.copy(newName(), isFound: chance(modelCase.foundCopies))
    members.append(Member(database, clock: member.clock))
  }

  private func damage(_ member: Member) async {
    await noting {
      member.store.forget(Self.recordID)
      if broken != .forgetting { await member.database.renewAuthor() }
    }
  }

  private func harmEndpoints() async {
    if modelCase.restore == 0, modelCase.wipe == 0 { return }
    await noting {
      for index in endpoints.indices {
        if chance(modelCase.restore) {
          if let backup = backups[index], !chance(0.5) {
            endpoints[index].restore(backup)
            backups[index] = nil
          } else {
            backups[index] = endpoints[index].backup()
          }
        }
        if chance(modelCase.wipe) {
          endpoints[index].wipe()
          backups[index] = nil
        }
      }
    }
  }

  /// Remembers what a fault destroyed: contents that are nowhere any more.
  private func noting(_ fault: () async -> Void) async {
    let before = held()
    await fault()
    gone.formUnion(before.subtracting(held()))
  }

  private func held() -> Set<UInt64> {
    var held = Set(members.flatMap { standing($0) })
    let keys = VaultKeys(key: key)
    let collection = TagMaker(keys).collection("things")
    guard let sealer = try? EnvelopeSealer(keys: keys, collection: collection) else { return held }
    for endpoint in endpoints {
      for envelope in endpoint.envelopes(collection, vault: keys.vault) {
        let span = envelope.span
        guard let opened = try? sealer.open(span), !opened.idKey.isEmpty else { continue }
        held.formUnion(Self.contents(opened.state))
      }
    }
    return held
  }

  private func pull(_ member: Member) async {
    let other = members[int(0...members.count - 1)]
    guard other !== member else { return }
    // A copy that nobody noticed is refused; other failures do not happen here.
    _ = try? await Replica(database: member.database).pull(from: .directory(other.database))
  }

  @discardableResult
  private func sync(
    _ member: Member, with index: Int, hasFaults: Bool = true
  ) async -> SyncReport? {
    let network = networks[index]
    if hasFaults {
      network.faults = .init(lostRequests: modelCase.lost / 3, lostAnswers: modelCase.lost)
      if chance(modelCase.crash) {
        member.database.disk.setFault(DiskFault(after: int(0...14), code: 5))
      }
    }
    let peer = Peer.endpoint(
      network, address: "endpoint \(index)", vault: VaultKeys.vault(of: key))
    let report = try? await Replica(database: member.database).sync(with: peer)
    network.faults = .none
    member.database.disk.setFault(nil)
    return report
  }
}

/// How it ends.
extension ModelWorld {
  /// Everybody syncs until nothing changes any more.
  private func settle() async throws -> Verdict {
    var rounds = 0
    while rounds < 15 {
      rounds += 1
      let before = snapshot()
      for member in members.shuffled(using: &random) {
        for index in endpoints.indices { await sync(member, with: index, hasFaults: false) }
      }
      if before == snapshot() { break }
    }
    var moved = 0
    for member in members {
      for index in endpoints.indices {
        let report = await sync(member, with: index, hasFaults: false)
        moved += report.map { $0.sent + $0.applied } ?? 1
      }
    }
    let kept = Set(standing(members[0]))
    return Verdict(
      isDiverged: !isEqual(), isLost: !written.subtracting(kept.union(removed).union(gone)).isEmpty,
      isReturned: modelCase.isStrict && !kept.isDisjoint(with: removed),
      isRestless: moved > 0 || rounds > 6)
  }

  private func isEqual() -> Bool {
    let states = members.map { $0.store.current(Self.recordID) }
    return states.allSatisfy { $0 == states[0] } && headers().allSatisfy { $0.count <= 1 }
  }

  private func headers() -> [[EnvelopeHeader]] {
    let collection = TagMaker(VaultKeys(key: key)).collection("things")
    return endpoints.map { endpoint in
      endpoint.heads(collection, vault: VaultKeys.vault(of: key))
        .filter { $0.vector[ReplicaID(number: 0)] == 0 }
        .sorted { $0.stateTag < $1.stateTag }
    }
  }

  /// What every place holds.
  private struct Snapshot: Equatable {
    var states: [RecordState?]
    var headers: [[EnvelopeHeader]]
  }

  private func snapshot() -> Snapshot {
    Snapshot(states: members.map { $0.store.current(Self.recordID) }, headers: headers())
  }
}
