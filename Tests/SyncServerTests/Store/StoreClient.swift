import NyaruEngine
import NyaruSyncLog
import TestSupport

/// One replica's side of the conversation with an endpoint, without a database behind it.
struct StoreClient: Sendable {
  private(set) var peer: any SyncPeer
  let collection: CollectionTag
  let replica: ReplicaID
  private(set) var epoch = Epoch.none
  private(set) var tickets: [Ticket] = []
  var pushedThrough: UInt64 = 0

  init(_ peer: any SyncPeer, collection: CollectionTag, replica: ReplicaID = .random()) {
    self.peer = peer
    self.collection = collection
    self.replica = replica
  }

  /// The same replica, with what it remembers, at another endpoint.
  func moved(to peer: any SyncPeer) -> StoreClient {
    var client = self
    client.peer = peer
    return client
  }

  var ticket: Ticket { tickets.last ?? .none }

  /// Begins a session with a fresh ticket and returns where the collection stands.
  @discardableResult
  mutating func open(
    pulledThrough: UInt64 = 0, chain: ChainValue = .none
  ) async throws -> SessionAnswer.Status {
    tickets.append(.random())
    let claim = SessionRequest.Claim(
      collection: collection, epoch: epoch, pulledThrough: pulledThrough, chain: chain,
      pushedThrough: pushedThrough,
      knownTickets: tickets.dropLast().suffix(ProtocolLimits.ticketCount).map(\.high))
    let answer = try await peer.session(
      SessionRequest(replica: replica, ticket: ticket, claims: [claim]))
    guard let status = answer.collections.first(where: { $0.collection == collection }) else {
      throw MissingCollection()
    }
    epoch = status.epoch
    return status
  }

  func push(_ envelopes: [[UInt8]]) async throws -> PushAnswer {
    var list = EnvelopeList()
    for envelope in envelopes { list.append(envelope) }
    return try await peer.push(
      PushRequest(
        collection: collection, epoch: epoch, replica: replica, ticket: ticket,
        pushedThrough: pushedThrough, envelopes: list))
  }

  func pull(
    since: UInt64 = 0, chain: ChainValue = .none, countLimit: Int = 10_000,
    markersAfter: UInt64 = 0
  ) async throws -> PullPage {
    try await peer.pull(
      PullRequest(
        collection: collection, epoch: epoch, since: since, chain: chain, countLimit: countLimit,
        markersAfter: markersAfter))
  }

  /// Every head of the collection, page by page.
  func pullAll(countLimit: Int = 10_000) async throws -> [[UInt8]] {
    var envelopes: [[UInt8]] = []
    var page = try await pull(countLimit: countLimit)
    envelopes += page.envelopes.all
    while page.hasMore {
      page = try await pull(since: page.through, chain: page.chain, countLimit: countLimit)
      envelopes += page.envelopes.all
    }
    return envelopes
  }

  func fetch(_ records: [RecordTag]) async throws -> [[UInt8]] {
    try await peer.fetch(FetchRequest(collection: collection, records: records)).envelopes.all
  }
}

/// The endpoint did not name the collection that was claimed.
struct MissingCollection: Error {}

extension EnvelopeList {
  var all: [[UInt8]] { (0..<count).map { self[$0] } }
}

/// What an endpoint takes for a sealed state.
struct FakeEnvelope {
  /// An envelope whose ciphertext is zeros.
  static func make(
    _ record: RecordTag, _ dots: [Dot], stateTag: UInt64 = 0, isDeletion: Bool = false,
    size: Int = 32
  ) -> [UInt8] {
    var writer = ByteWriter()
    EnvelopeHeader(
      isDeletion: isDeletion, record: record, stateTag: stateTag, vector: VersionVector(dots)
    ).encode(into: &writer)
    writer.writeZeros(XAES256GCM.nonceSize)
    writer.writeLengthPrefixed([UInt8](repeating: 0, count: size))
    return writer.finish()
  }
}

extension EndpointFailure {
  /// The code behind an error of a peer.
  static func code(_ error: any Error) -> Code? {
    guard case .endpoint(let failure) = error as? PeerFailure else { return nil }
    return failure.code
  }
}
