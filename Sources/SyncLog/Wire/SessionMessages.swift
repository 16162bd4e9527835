package import NyaruEngine

/// What a client says first: who it is, and where it stands in each collection.
///
///     session request := request, claim…
///     request := version count varint, versions u8[count], replica u8[8], ticket u8[16], flags u8
///     flags   := bit 0: only asking; nothing is registered or created
///     claim   := collection u8[16], epoch u8[16], pulledThrough varint, chain u8[16],
///                pushedThrough varint, ticket count varint, known tickets u8[8]…
package struct SessionRequest: Equatable, Sendable {
  /// Where the client stands in one collection; no epoch means that it has seen nothing.
  package struct Claim: Equatable, Sendable {
    package var collection: CollectionTag
    package var epoch: Epoch
    package var pulledThrough: UInt64
    package var chain: ChainValue
    package var pushedThrough: UInt64

    /// The first halves of the tickets that the client remembers, oldest first.
    package var knownTickets: [UInt64]

    package init(
      collection: CollectionTag, epoch: Epoch = .none, pulledThrough: UInt64 = 0,
      chain: ChainValue = .none, pushedThrough: UInt64 = 0, knownTickets: [UInt64] = []
    ) {
      self.collection = collection
      self.epoch = epoch
      self.pulledThrough = pulledThrough
      self.chain = chain
      self.pushedThrough = pushedThrough
      self.knownTickets = knownTickets
    }
  }

  package var versions: [UInt8]
  package var replica: ReplicaID
  package var ticket: Ticket
  package var isOnlyAsking: Bool
  package var claims: [Claim]

  package init(
    versions: [UInt8] = [ProtocolLimits.version], replica: ReplicaID, ticket: Ticket,
    isOnlyAsking: Bool = false, claims: [Claim]
  ) {
    self.versions = versions
    self.replica = replica
    self.ticket = ticket
    self.isOnlyAsking = isOnlyAsking
    self.claims = claims
  }
}

/// What an endpoint answers: where each collection of the vault stands.
///
///     session answer := answer, status…
///     answer := version u8, endpoint u8[16], time varint, page count varint, page size varint,
///               body size varint
///     status := collection u8[16], epoch u8[16], head varint, chain u8[16], flags u8,
///               pushedThrough varint, count varint, root u8[16], [common ticket u8[8]]
///     flags  := bit 0: the claimed chain holds; bit 1: the ticket was refused;
///               bit 2: a common ticket follows
package struct SessionAnswer: Equatable, Sendable {
  /// What the client may send and ask for at once.
  package struct Limits: Equatable, Sendable {
    package var pageCount: Int
    package var pageSize: Int
    package var bodySize: Int

    package init(
      pageCount: Int = ProtocolLimits.pageCount, pageSize: Int = ProtocolLimits.pageSize,
      bodySize: Int = ProtocolLimits.bodySize
    ) {
      self.pageCount = pageCount
      self.pageSize = pageSize
      self.bodySize = bodySize
    }
  }

  /// Where one collection stands.
  package struct Status: Equatable, Sendable {
    package var collection: CollectionTag

    /// No epoch: the endpoint does not have the collection, and may not create it.
    package var epoch: Epoch
    package var head: UInt64
    package var chain: ChainValue

    /// The claimed epoch is the current one, and the chain at `pulledThrough` is the claimed one.
    package var isChainValid: Bool

    /// The newest ticket of this replica is none that the client knows: one of two is a copy.
    package var isTicketRefused: Bool

    /// Where the ticket was refused: the newest one that both know.
    package var commonTicket: UInt64?

    /// The own sequence up to which the endpoint has what this replica pushed.
    package var pushedThrough: UInt64

    /// Heads that hold a document or a catalog entry.
    package var count: UInt64

    /// The sum of their items (see ``DigestSum``).
    package var root: Identity

    package init(
      collection: CollectionTag, epoch: Epoch, head: UInt64, chain: ChainValue,
      isChainValid: Bool, isTicketRefused: Bool, commonTicket: UInt64?, pushedThrough: UInt64,
      count: UInt64, root: Identity
    ) {
      self.collection = collection
      self.epoch = epoch
      self.head = head
      self.chain = chain
      self.isChainValid = isChainValid
      self.isTicketRefused = isTicketRefused
      self.commonTicket = commonTicket
      self.pushedThrough = pushedThrough
      self.count = count
      self.root = root
    }
  }

  package var version: UInt8
  package var endpoint: Identity

  /// Milliseconds since 1970.
  package var time: UInt64
  package var limits: Limits
  package var collections: [Status]

  package init(
    version: UInt8 = ProtocolLimits.version, endpoint: Identity, time: UInt64,
    limits: Limits = Limits(), collections: [Status]
  ) {
    self.version = version
    self.endpoint = endpoint
    self.time = time
    self.limits = limits
    self.collections = collections
  }
}

extension SessionRequest {
  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let message = try Message(bytes)
    let body = try message.body(0, type: Message.FrameType.sessionRequest)
    var reader = ByteReader(message.bytes.span.extracting(body))
    versions = try reader.readBytes(try reader.readLength())
    replica = try ReplicaID(from: &reader)
    ticket = try Ticket(from: &reader)
    isOnlyAsking = try reader.readUInt8() & 1 != 0
    try reader.readEnd()
    guard message.frames.count - 1 <= ProtocolLimits.collectionCount else {
      throw .lengthOutOfRange(UInt64(message.frames.count - 1))
    }
    claims = []
    for index in message.frames.indices.dropFirst() {
      let body = try message.body(index, type: Message.FrameType.claim)
      claims.append(try Claim(message.bytes.span.extracting(body)))
    }
  }

  package func encoded() -> [UInt8] {
    var message = MessageWriter(capacity: 128 + claims.count * 640)
    message.frame(Message.FrameType.sessionRequest) { writer in
      writer.writeLengthPrefixed(versions)
      replica.encode(into: &writer)
      ticket.encode(into: &writer)
      writer.write(isOnlyAsking ? UInt8(1) : 0)
    }
    for claim in claims { message.frame(Message.FrameType.claim, claim.encode) }
    return message.finish()
  }
}

extension SessionRequest.Claim {
  init(_ bytes: Span<UInt8>) throws(FormatError) {
    var reader = ByteReader(bytes)
    collection = try CollectionTag(from: &reader)
    epoch = try Epoch(from: &reader)
    pulledThrough = try reader.readVarint()
    chain = try ChainValue(from: &reader)
    pushedThrough = try reader.readVarint()
    let count = try reader.readVarint()
    guard count <= UInt64(ProtocolLimits.ticketCount) else { throw .lengthOutOfRange(count) }
    knownTickets = []
    for _ in 0..<count { knownTickets.append(try reader.readUInt64().byteSwapped) }
    try reader.readEnd()
  }

  func encode(into writer: inout ByteWriter) {
    collection.encode(into: &writer)
    epoch.encode(into: &writer)
    writer.writeVarint(pulledThrough)
    chain.encode(into: &writer)
    writer.writeVarint(pushedThrough)
    writer.writeVarint(UInt64(knownTickets.count))
    for ticket in knownTickets { writer.write(ticket.byteSwapped) }
  }
}

extension SessionAnswer {
  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let message = try Message(bytes)
    let body = try message.body(0, type: Message.FrameType.sessionAnswer)
    var reader = ByteReader(message.bytes.span.extracting(body))
    version = try reader.readUInt8()
    endpoint = try Identity(from: &reader)
    time = try reader.readVarint()
    limits = Limits(
      pageCount: try reader.readCount(), pageSize: try reader.readCount(),
      bodySize: try reader.readCount())
    try reader.readEnd()
    // With nothing allowed at once, a client would never come to an end.
    guard min(limits.pageCount, limits.pageSize, limits.bodySize) > 0 else {
      throw .lengthOutOfRange(0)
    }
    guard message.frames.count - 1 <= ProtocolLimits.collectionCount else {
      throw .lengthOutOfRange(UInt64(message.frames.count - 1))
    }
    collections = []
    for index in message.frames.indices.dropFirst() {
      let body = try message.body(index, type: Message.FrameType.status)
      collections.append(try Status(message.bytes.span.extracting(body)))
    }
  }

  package func encoded() -> [UInt8] {
    var message = MessageWriter(capacity: 128 + collections.count * 128)
    message.frame(Message.FrameType.sessionAnswer) { writer in
      writer.write(version)
      endpoint.encode(into: &writer)
      writer.writeVarint(time)
      writer.writeVarint(UInt64(limits.pageCount))
      writer.writeVarint(UInt64(limits.pageSize))
      writer.writeVarint(UInt64(limits.bodySize))
    }
    for status in collections { message.frame(Message.FrameType.status, status.encode) }
    return message.finish()
  }
}

extension SessionAnswer.Status {
  init(_ bytes: Span<UInt8>) throws(FormatError) {
    var reader = ByteReader(bytes)
    collection = try CollectionTag(from: &reader)
    epoch = try Epoch(from: &reader)
    head = try reader.readVarint()
    chain = try ChainValue(from: &reader)
    let flags = try reader.readUInt8()
    isChainValid = flags & 1 != 0
    isTicketRefused = flags & 2 != 0
    pushedThrough = try reader.readVarint()
    count = try reader.readVarint()
    root = try Identity(from: &reader)
    commonTicket = flags & 4 != 0 ? try reader.readUInt64().byteSwapped : nil
    try reader.readEnd()
  }

  func encode(into writer: inout ByteWriter) {
    collection.encode(into: &writer)
    epoch.encode(into: &writer)
    writer.writeVarint(head)
    chain.encode(into: &writer)
    let flags =
      (isChainValid ? 1 : 0) | (isTicketRefused ? 2 : 0) | (commonTicket != nil ? 4 : 0) as UInt8
    writer.write(flags)
    writer.writeVarint(pushedThrough)
    writer.writeVarint(count)
    root.encode(into: &writer)
    if let commonTicket { writer.write(commonTicket.byteSwapped) }
  }
}

extension ByteReader {
  /// Refuses bytes behind what was read.
  func readEnd() throws(FormatError) {
    guard remaining == 0 else { throw .invalid("bytes behind the end of a frame") }
  }

  /// A number that is a size or a count here; values beyond 32 bits are refused.
  mutating func readCount() throws(FormatError) -> Int {
    let value = try readVarint()
    guard value <= UInt64(UInt32.max) else { throw .lengthOutOfRange(value) }
    return Int(value)
  }
}
