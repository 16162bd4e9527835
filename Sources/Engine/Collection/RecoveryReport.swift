/// What opening a collection took, and what it found.
public struct RecoveryReport: Sendable, Equatable {
  /// The four ways to open.
  public enum Kind: String, Sendable {
    /// There was nothing.
    case created

    /// The last owner had closed it.
    case clean

    /// The last owner had not: the checkpoint was read, and what was written since.
    case recovered

    /// Every slot was read, because there was no valid checkpoint.
    case walked
  }

  /// Bytes that are not what was written there.
  public struct Damage: Sendable, Equatable {
    /// The file, by its name in the collection's directory or in the one for shards.
    public let file: String

    /// The place in the file.
    public let offset: UInt64

    /// What does not read.
    public let reason: String

    /// The document, where its id is known.
    public let id: DocumentValue?
  }

  /// How it was opened.
  public let kind: Kind

  /// Slots that were looked at.
  public let scannedSlots: Int

  /// Bytes of shards that were read.
  public let scannedBytes: UInt64

  /// Versions behind the last flush that a power cut took.
  public let droppedVersions: Int

  /// What did not read.
  public let damage: [Damage]

  /// Files in `quarantine` that keep bytes which did not read.
  public let quarantined: [String]

  /// Whether something that had been flushed is gone, or older than it was.
  public let lostState: Bool

  init(_ report: OpenReport) {
    kind =
      switch report.kind {
      case .created: .created
      case .clean: .clean
      case .recovered: .recovered
      case .walked: .walked
      }
    scannedSlots = report.scannedSlots
    scannedBytes = report.scannedSize
    droppedVersions = report.droppedVersions
    damage = report.damaged.map { place in
      Damage(
        file: place.file, offset: place.offset, reason: place.what,
        id: place.idKey.flatMap { try? OrderedKey.decode($0) })
    }
    quarantined = report.quarantined
    lostState = report.lostState
  }
}
