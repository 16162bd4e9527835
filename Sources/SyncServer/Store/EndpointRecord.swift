package import NyaruEngine
package import NyaruSyncLog

/// What an embedded endpoint stores under one key of one collection.
///
///     document := MessagePack map { "b": binary record }
///     record   := kind u8, content
///     state    := 1, epoch u8[16], chain u8[16], count varint, root u8[16]
///     replica  := 2, pushedThrough varint, last seen u64, count varint, tickets u8[16]…
///     commit   := 3, chain u8[16]
///     heads    := 4, count varint, count × (length varint, envelope)
///
/// The key is the kind, and behind it the replica's id, the chain value or the record's tag.
/// A commit is one batch: the replica, the heads that changed, the state, the commit itself. So
/// the last commit's sequence is the one behind the state's, and a batch ends with a commit.
package enum EndpointRecord: Equatable, Sendable {
  case state(State)
  case replica(Replica)
  case commit(ChainValue)
  case heads([[UInt8]])

  /// Where the collection stands after its last commit.
  package struct State: Equatable, Sendable {
    package var epoch: Epoch

    /// The chain value of the last commit; none before the first.
    package var chain = ChainValue.none
    package var sum = DigestSum()

    package init(epoch: Epoch, chain: ChainValue = .none, sum: DigestSum = DigestSum()) {
      self.epoch = epoch
      self.chain = chain
      self.sum = sum
    }
  }

  /// What is known of one replica.
  package struct Replica: Equatable, Sendable {
    package var pushedThrough: UInt64 = 0

    /// Milliseconds since 1970.
    package var lastSeen: UInt64 = 0

    /// Oldest first.
    package var tickets: [Ticket] = []

    package init(pushedThrough: UInt64 = 0, lastSeen: UInt64 = 0, tickets: [Ticket] = []) {
      self.pushedThrough = pushedThrough
      self.lastSeen = lastSeen
      self.tickets = tickets
    }
  }

  private enum Kind {
    static let state: UInt8 = 1
    static let replica: UInt8 = 2
    static let commit: UInt8 = 3
    static let heads: UInt8 = 4
  }

  private static let mapStart: [UInt8] = [0x81, 0xA1, 0x62, 0xC6]

  /// Bytes that a document takes beside its envelopes.
  static let overhead = 64

  package init(document: [UInt8]) throws(FormatError) {
    var reader = ByteReader(document.span)
    guard try reader.readBytes(4) == Self.mapStart else {
      throw .invalid("not a document of an endpoint")
    }
    let size = try reader.readUInt32().byteSwapped
    guard Int(size) == reader.remaining else { throw .lengthOutOfRange(UInt64(size)) }
    switch try reader.readUInt8() {
    case Kind.state:
      let epoch = try Epoch(from: &reader)
      let chain = try ChainValue(from: &reader)
      let count = try reader.readVarint()
      let sum = DigestSum(count: count, root: try Identity(from: &reader))
      self = .state(State(epoch: epoch, chain: chain, sum: sum))
    case Kind.replica:
      var replica = Replica()
      replica.pushedThrough = try reader.readVarint()
      replica.lastSeen = try reader.readUInt64()
      for _ in 0..<(try reader.readLength(limit: ProtocolLimits.ticketCount)) {
        replica.tickets.append(try Ticket(from: &reader))
      }
      self = .replica(replica)
    case Kind.commit:
      self = .commit(try ChainValue(from: &reader))
    case Kind.heads:
      var heads: [[UInt8]] = []
      for _ in 0..<(try reader.readLength(limit: ProtocolLimits.headCount)) {
        heads.append(try reader.readBytes(try reader.readLength()))
      }
      self = .heads(heads)
    case let kind:
      throw .unsupported("a record of kind \(kind)")
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind a record") }
  }

  /// The record as a document.
  package var document: [UInt8] {
    var writer = ByteWriter(capacity: 128)
    writer.write(Self.mapStart)
    writer.write(UInt32(0))
    switch self {
    case .state(let state):
      writer.write(Kind.state)
      state.epoch.encode(into: &writer)
      state.chain.encode(into: &writer)
      writer.writeVarint(state.sum.count)
      state.sum.root.encode(into: &writer)
    case .replica(let replica):
      writer.write(Kind.replica)
      writer.writeVarint(replica.pushedThrough)
      writer.write(replica.lastSeen)
      writer.writeVarint(UInt64(replica.tickets.count))
      for ticket in replica.tickets { ticket.encode(into: &writer) }
    case .commit(let chain):
      writer.write(Kind.commit)
      chain.encode(into: &writer)
    case .heads(let heads):
      writer.write(Kind.heads)
      writer.writeVarint(UInt64(heads.count))
      for head in heads { writer.writeLengthPrefixed(head) }
    }
    writer.replace(at: Self.mapStart.count, with: UInt32(writer.count - 8).byteSwapped)
    return writer.finish()
  }

  // MARK: Keys

  package static let stateKey = key(Kind.state, [])

  package static func key(of replica: ReplicaID) -> [UInt8] {
    var writer = ByteWriter()
    replica.encode(into: &writer)
    return key(Kind.replica, writer.bytes)
  }

  package static func key(ofCommit chain: ChainValue) -> [UInt8] { key(Kind.commit, chain.bytes) }

  package static func key(of record: RecordTag) -> [UInt8] { key(Kind.heads, record.bytes) }

  /// The key as the engine has it; a short binary always is one.
  private static func key(_ kind: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    let value = DocumentValue.binary([kind] + bytes)
    return (try? OrderedKey.key(of: value)) ?? []
  }
}
