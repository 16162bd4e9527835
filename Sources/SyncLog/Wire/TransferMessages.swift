package import NyaruEngine

/// Asks for the heads that came after a sequence.
///
///     pull request := collection u8[16], epoch u8[16], since varint, chain u8[16],
///                     count limit varint, size limit varint, markers after varint
package struct PullRequest: Equatable, Sendable {
  package var collection: CollectionTag
  package var epoch: Epoch

  /// The sequence up to which the client has everything, and the chain value there.
  package var since: UInt64
  package var chain: ChainValue
  package var countLimit: Int
  package var sizeLimit: Int

  /// Deletion markers up to this sequence are left out: for a replica that was empty then.
  package var markersAfter: UInt64

  package init(
    collection: CollectionTag, epoch: Epoch, since: UInt64, chain: ChainValue,
    countLimit: Int = ProtocolLimits.pageCount, sizeLimit: Int = ProtocolLimits.pageSize,
    markersAfter: UInt64 = 0
  ) {
    self.collection = collection
    self.epoch = epoch
    self.since = since
    self.chain = chain
    self.countLimit = countLimit
    self.sizeLimit = sizeLimit
    self.markersAfter = markersAfter
  }
}

/// Heads in the order of their sequences, up to the end of a commit.
///
///     pull answer := page end, envelope…
///     page end    := through varint, chain u8[16], flags u8
///     flags       := bit 0: there is more behind it
package struct PullPage: Equatable, Sendable {
  package var envelopes: EnvelopeList
  package var through: UInt64
  package var chain: ChainValue
  package var hasMore: Bool

  package init(envelopes: EnvelopeList, through: UInt64, chain: ChainValue, hasMore: Bool) {
    self.envelopes = envelopes
    self.through = through
    self.chain = chain
    self.hasMore = hasMore
  }
}

/// Brings states to an endpoint, which takes all of them or none.
///
///     push request := push, envelope…
///     push         := collection u8[16], epoch u8[16], replica u8[8], ticket u8[16],
///                     pushedThrough varint
package struct PushRequest: Equatable, Sendable {
  package var collection: CollectionTag
  package var epoch: Epoch
  package var replica: ReplicaID

  /// The ticket of the session that this push belongs to.
  package var ticket: Ticket

  /// The own sequence up to which everything has been pushed once this is stored.
  package var pushedThrough: UInt64
  package var envelopes: EnvelopeList

  package init(
    collection: CollectionTag, epoch: Epoch, replica: ReplicaID, ticket: Ticket,
    pushedThrough: UInt64, envelopes: EnvelopeList
  ) {
    self.collection = collection
    self.epoch = epoch
    self.replica = replica
    self.ticket = ticket
    self.pushedThrough = pushedThrough
    self.envelopes = envelopes
  }
}

/// What became of each pushed envelope.
///
///     push answer := push, envelope… (the covering heads, in order)
///     push        := before varint, through varint, chain u8[16], count varint, outcomes u8[count]
///     outcome     := 0 stored, 1 same, 2 covered
package struct PushAnswer: Equatable, Sendable {
  /// What an endpoint did with one envelope.
  package enum Outcome: UInt8, Sendable {
    /// It is a head now.
    case stored = 0

    /// The endpoint has this very state.
    case same = 1

    /// The endpoint has a newer state, which the answer brings.
    case covered = 2
  }

  /// The sequence of the last commit before this push.
  package var before: UInt64

  /// The sequence of the last commit after it.
  package var through: UInt64
  package var chain: ChainValue
  package var outcomes: [Outcome]

  /// One head for each outcome `covered`, in the same order.
  package var covering: EnvelopeList

  package init(
    before: UInt64, through: UInt64, chain: ChainValue, outcomes: [Outcome],
    covering: EnvelopeList
  ) {
    self.before = before
    self.through = through
    self.chain = chain
    self.outcomes = outcomes
    self.covering = covering
  }
}

/// Asks for all heads of some records.
///
///     fetch request := collection u8[16], count varint, record tags u8[16]…
package struct FetchRequest: Equatable, Sendable {
  package var collection: CollectionTag
  package var records: [RecordTag]

  package init(collection: CollectionTag, records: [RecordTag]) {
    self.collection = collection
    self.records = records
  }
}

/// The heads of the records that exist.
///
///     fetch answer := fetch (an empty frame), envelope…
package struct FetchAnswer: Equatable, Sendable {
  package var envelopes: EnvelopeList

  package init(envelopes: EnvelopeList) { self.envelopes = envelopes }
}
