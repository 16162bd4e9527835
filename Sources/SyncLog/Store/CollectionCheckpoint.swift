package import NyaruEngine

/// Where this database stands with one peer in one collection.
///
/// - What `pulledThrough` claims to be here was durable before the checkpoint said so.
/// - `sentThrough` was durable before any state with such a dot left this database.
package struct CollectionCheckpoint: Equatable, Sendable {
  /// A ticket, and what was pushed when it was drawn.
  package struct IssuedTicket: Equatable, Sendable {
    package var ticket: Ticket
    package var pushedThrough: UInt64

    package init(ticket: Ticket, pushedThrough: UInt64) {
      self.ticket = ticket
      self.pushedThrough = pushedThrough
    }
  }

  /// The local collection; another one of the same name starts from nothing.
  package var collectionID: Identity

  /// The author at the time; another one now means that this database may have lost records.
  package var replica: ReplicaID

  /// No epoch: nothing has been exchanged.
  package var epoch: Epoch = .none
  package var pulledThrough: UInt64 = 0

  /// The peer's chain value at `pulledThrough`.
  package var chain: ChainValue = .none
  package var pushedThrough: UInt64 = 0

  /// The highest own sequence that the peer may have been sent.
  package var sentThrough: UInt64 = 0

  /// Both sides are being compared whole: everything is offered, also what came from the peer.
  package var isReconciling = true

  /// What came from the peer later than this sequence is known to be there while reconciling.
  package var receivedAfter: UInt64 = 0

  /// The peer has had this epoch as long as the checkpoint exists.
  package var hasOneEpoch = true

  /// Deletions up to this sequence of the peer are not asked for, since nothing was here then.
  package var markersAfter: UInt64 = 0
  package var tickets: [IssuedTicket] = []

  /// Own sequences of records that the peer could not take.
  package var parked: [UInt64] = []

  package init(collectionID: Identity, replica: ReplicaID) {
    self.collectionID = collectionID
    self.replica = replica
  }

  /// Forgets what was exchanged, but not which tickets were drawn and what may have been sent.
  ///
  /// `last` is the last own sequence, from before anything came from the peer as it is now.
  package mutating func startOver(epoch: Epoch, replica: ReplicaID, last: UInt64) {
    if self.epoch != .none, self.epoch != epoch { hasOneEpoch = false }
    self.epoch = epoch
    self.replica = replica
    pulledThrough = 0
    chain = .none
    pushedThrough = 0
    isReconciling = true
    receivedAfter = last
    markersAfter = 0
    parked = []
  }

  package mutating func add(_ ticket: Ticket) {
    tickets.append(IssuedTicket(ticket: ticket, pushedThrough: pushedThrough))
    tickets.removeFirst(max(0, tickets.count - ProtocolLimits.ticketCount))
  }

  /// What was pushed when the ticket was drawn, 0 if it is unknown.
  package func pushedThrough(atTicket fingerprint: UInt64?) -> UInt64 {
    tickets.last { $0.ticket.high == fingerprint }?.pushedThrough ?? 0
  }
}

/// Everything that this database remembers of one peer.
///
///     file       := manifest frame, magic "NYPC", format 1
///     body       := peer u8[16], address, seconds of the last sync u64, count varint, collection…
///     collection := tag u8[16], collectionID u8[16], replica u8[8], epoch u8[16],
///                   pulledThrough varint, chain u8[16], pushedThrough varint, sentThrough varint,
///                   flags u8 (bit 0 reconciling, bit 1 one epoch), receivedAfter varint,
///                   markersAfter varint,
///                   ticket count varint, (ticket u8[16], pushedThrough varint)…,
///                   parked count varint, sequence varint…
package struct PeerCheckpoint: Equatable, Sendable {
  static let magic = "NYPC"
  static let parkedLimit = 100_000

  /// The endpoint's id, or the other directory's databaseID.
  package var peer: Identity

  /// Where the peer was reached last: a URL or a path.
  package var address: String

  /// Seconds since 1970 at the end of the last sync that went through, 0 if none did.
  package var lastSync: UInt64 = 0
  package var collections: [CollectionTag: CollectionCheckpoint] = [:]

  package init(peer: Identity, address: String) {
    self.peer = peer
    self.address = address
  }
}

extension PeerCheckpoint {
  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 256 + 1500 * collections.count)
    peer.encode(into: &writer)
    writer.writeLengthPrefixed(Array(address.utf8))
    writer.write(lastSync)
    writer.writeVarint(UInt64(collections.count))
    for (tag, checkpoint) in collections.sorted(by: { $0.key < $1.key }) {
      tag.encode(into: &writer)
      checkpoint.encode(into: &writer)
    }
    return ManifestFrame.encode(writer.finish(), magic: Self.magic, format: 1)
  }

  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let body = try ManifestFrame.decode(bytes, magic: Self.magic, format: 1)
    var reader = ByteReader(body.span)
    peer = try Identity(from: &reader)
    let address = try reader.readBytes(try reader.readLength(limit: 4096))
    self.address = String(decoding: address, as: UTF8.self)
    lastSync = try reader.readUInt64()
    let count = try reader.readVarint()
    guard count <= UInt64(ProtocolLimits.collectionCount) else { throw .lengthOutOfRange(count) }
    for _ in 0..<count {
      let tag = try CollectionTag(from: &reader)
      collections[tag] = try CollectionCheckpoint(from: &reader)
    }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the last collection") }
  }
}

extension CollectionCheckpoint {
  func encode(into writer: inout ByteWriter) {
    collectionID.encode(into: &writer)
    replica.encode(into: &writer)
    epoch.encode(into: &writer)
    writer.writeVarint(pulledThrough)
    chain.encode(into: &writer)
    writer.writeVarint(pushedThrough)
    writer.writeVarint(sentThrough)
    writer.write((isReconciling ? 1 : 0) | (hasOneEpoch ? 2 : 0) as UInt8)
    writer.writeVarint(receivedAfter)
    writer.writeVarint(markersAfter)
    writer.writeVarint(UInt64(tickets.count))
    for issued in tickets {
      issued.ticket.encode(into: &writer)
      writer.writeVarint(issued.pushedThrough)
    }
    writer.writeVarint(UInt64(parked.count))
    for sequence in parked { writer.writeVarint(sequence) }
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    collectionID = try Identity(from: &reader)
    replica = try ReplicaID(from: &reader)
    epoch = try Epoch(from: &reader)
    pulledThrough = try reader.readVarint()
    chain = try ChainValue(from: &reader)
    pushedThrough = try reader.readVarint()
    sentThrough = try reader.readVarint()
    let flags = try reader.readUInt8()
    isReconciling = flags & 1 != 0
    hasOneEpoch = flags & 2 != 0
    receivedAfter = try reader.readVarint()
    markersAfter = try reader.readVarint()
    let ticketCount = try reader.readVarint()
    guard ticketCount <= UInt64(ProtocolLimits.ticketCount) else {
      throw .lengthOutOfRange(ticketCount)
    }
    for _ in 0..<ticketCount {
      let ticket = try Ticket(from: &reader)
      tickets.append(IssuedTicket(ticket: ticket, pushedThrough: try reader.readVarint()))
    }
    let parkedCount = try reader.readVarint()
    guard parkedCount <= UInt64(PeerCheckpoint.parkedLimit) else {
      throw .lengthOutOfRange(parkedCount)
    }
    for _ in 0..<parkedCount { parked.append(try reader.readVarint()) }
  }
}
