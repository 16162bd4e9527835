package import NyaruEngine

/// One collection, as sync sees it: states, ids as key bytes, and the order of changes.
package protocol RecordStore: Sendable {
  var name: String { get }
  var idField: String { get }

  /// Random bytes of this local collection; one that is created anew has others.
  var collectionID: Identity { get }

  /// Makes everything acknowledged so far durable, and returns the sequence up to which it is.
  func sync() async throws -> UInt64

  /// The newest state of each record that changed in (`after`, `through`], in sequence order.
  ///
  /// Stops where a limit is reached, but never within a group.
  func feed(after: UInt64, through: UInt64, limit: FeedLimit) async throws -> FeedPage

  /// The state of one record, or `nil` if it was never written.
  func state(of idKey: [UInt8]) async throws -> RecordState?

  /// Takes states in one turn of the writer: all of them, or none if a decision stops.
  ///
  /// `decide` gets the state that is there now and the dot that a write in its place would have.
  /// No two of the states are of one record.
  func apply(
    _ incoming: [IncomingRecord], isGroup: Bool, decide: @escaping StateDecision
  ) async throws -> ApplyOutcome

  /// Whether the collection has never held a record.
  func isUntouched() async throws -> Bool
}

/// How much a feed page holds.
package struct FeedLimit: Sendable {
  package var count: Int
  package var size: Int

  package init(count: Int = ProtocolLimits.pageCount, size: Int = ProtocolLimits.pageSize) {
    self.count = count
    self.size = size
  }
}

/// A piece of the feed.
package struct FeedPage: Sendable {
  package var records: [FeedRecord]

  /// The sequence up to which the feed has been read, also where nothing lives any more.
  package var through: UInt64

  /// What is known of records that do not read. They are missing, not deleted.
  package var unreadable: [String]

  package init(records: [FeedRecord], through: UInt64, unreadable: [String] = []) {
    self.records = records
    self.through = through
    self.unreadable = unreadable
  }
}

/// A record's newest state in the feed.
package struct FeedRecord: Sendable {
  package var sequence: UInt64

  /// The first sequence of the group that the write belonged to, if it was one.
  package var group: UInt64?
  package var idKey: [UInt8]
  package var state: RecordState

  /// 0, or the local number of the peer that the state came from unchanged.
  package var source: UInt32

  package init(
    sequence: UInt64, group: UInt64?, idKey: [UInt8], state: RecordState, source: UInt32
  ) {
    self.sequence = sequence
    self.group = group
    self.idKey = idKey
    self.state = state
    self.source = source
  }
}

/// A state that comes from elsewhere.
package struct IncomingRecord: Sendable {
  package var idKey: [UInt8]
  package var state: RecordState

  package init(idKey: [UInt8], state: RecordState) {
    self.idKey = idKey
    self.state = state
  }
}

/// What is to become of a record: given what is there, what came, and the dot of a write now.
package typealias StateDecision =
  @Sendable (_ current: RecordState?, _ incoming: RecordState, _ dot: Dot) -> StateChange

/// What a decision wants.
package enum StateChange: Sendable {
  /// The record stays as it is; nothing is written.
  case keep

  /// The record takes the state; the source is 0, or the number of the peer it is equal to.
  case write(RecordState, source: UInt32)

  /// The record cannot take the state within the limits; it stays as it is, and is named.
  case refuse

  /// Nothing of the whole call is written.
  case stop
}

/// What became of the records of one call, in order.
package struct ApplyOutcome: Sendable {
  /// The changes as they were decided; empty if the call stopped.
  package var changes: [StateChange]

  /// The record at which a decision stopped, if one did.
  package var stoppedAt: Int?

  package init(changes: [StateChange], stoppedAt: Int? = nil) {
    self.changes = changes
    self.stoppedAt = stoppedAt
  }
}
