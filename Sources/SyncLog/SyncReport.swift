/// What a sync did.
public struct SyncReport: Codable, Equatable, Sendable {
  /// Records that the other side took from here.
  public var sent = 0

  /// Records that came from the other side.
  public var received = 0

  /// Received records that changed something here.
  public var applied = 0

  /// Records that were compared, and were the same on both sides.
  public var same = 0

  /// Records in which versions stand side by side after what was received.
  public var conflicts = 0

  /// Records that the other side could not take; they stay here and are tried again.
  public var parked = 0

  /// Received records that do not open; they are kept, and nothing replaces them.
  public var quarantined = 0

  /// Bytes of all requests and answers.
  public var bytes = 0

  /// Calls to the other side.
  public var requests = 0

  /// How long it took.
  public var seconds = 0.0

  /// Whether both sides were seen to hold the same at the end.
  public var verified = false

  /// Whether histories had parted, so that both sides were compared as a whole.
  public var reconciled = false

  /// Whether this directory was found to be a copy or restored, and took a new identity.
  public var reidentified = false

  /// What was left out, and why: names of collections, ids of records.
  public var problems: [String] = []

  /// A report of nothing.
  public init() {}

  enum CodingKeys: String, CodingKey {
    case sent, received, applied, same, conflicts, parked, quarantined, bytes, requests, seconds
    case verified, reconciled, reidentified, problems
  }
}

/// How far a sync is.
public struct SyncProgress: Equatable, Sendable {
  /// Which way records go at the moment.
  public enum Phase: Sendable {
    case receiving
    case sending
  }

  /// The collection that is being exchanged.
  public var collection: String

  /// The direction.
  public var phase: Phase

  /// Records received and sent so far, in all collections.
  public var records: Int

  /// Bytes received and sent so far.
  public var bytes: Int
}

/// How a sync is to be done.
public struct SyncOptions: Sendable {
  /// Only say what would be sent and received.
  public var isDryRun: Bool

  /// Move the second of two databases that hold data into the vault of the first.
  public var joins: Bool

  /// Called from time to time while records move.
  public var progress: (@Sendable (SyncProgress) -> Void)?

  /// By default: exchange for good, without joining, and without telling how far it is.
  public init(
    isDryRun: Bool = false, joins: Bool = false,
    progress: (@Sendable (SyncProgress) -> Void)? = nil
  ) {
    self.isDryRun = isDryRun
    self.joins = joins
    self.progress = progress
  }
}
