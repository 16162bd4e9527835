/// Bytes that are not what was written there.
package struct DamagedPlace: Equatable, Sendable {
  package var file: String
  package var offset: UInt64
  package var what: String

  /// The record, where it is known.
  package var idKey: [UInt8]?

  package init(file: String, offset: UInt64, what: String, idKey: [UInt8]? = nil) {
    self.file = file
    self.offset = offset
    self.what = what
    self.idKey = idKey
  }
}

/// What opening a store took, and what it found.
package struct OpenReport: Equatable, Sendable {
  /// The four ways to open.
  package enum Kind: Equatable, Sendable {
    /// There was nothing.
    case created

    /// The last owner had closed it.
    case clean

    /// The last owner had not: the checkpoint, and what was written since.
    case recovered

    /// All slots were read, because there was no valid checkpoint.
    case walked
  }

  package var kind = Kind.created

  /// Slots whose headers were read.
  package var scannedSlots = 0

  /// Bytes that were read from shards.
  package var scannedSize: UInt64 = 0

  /// Versions written after the last sync that a power cut took.
  package var droppedVersions = 0

  package var damaged: [DamagedPlace] = []

  /// Files in `quarantine` that now hold bytes which did not read.
  package var quarantined: [String] = []

  /// Something that was acknowledged is gone or older than it was: the replica must become new.
  package var lostState = false

  package init() {}
}

/// What ``Store/check()`` found.
package struct CheckReport: Equatable, Sendable {
  package var shards = 0
  package var records = 0
  package var deletionMarkers = 0
  package var bytes: UInt64 = 0
  package var damaged: [DamagedPlace] = []

  package var isSound: Bool { damaged.isEmpty }

  package init() {}
}

/// Counters of one store.
package struct StoreStatistics: Equatable, Sendable {
  package var liveCount = 0
  package var deletionMarkers = 0
  package var shards = 0

  /// Bytes of all shards.
  package var size: UInt64 = 0

  /// Bytes of the slots that are current.
  package var liveSize: UInt64 = 0

  package var pins = 0
  package var checkpoints = 0
  package var compactions = 0
  package var syncs = 0
  package var reads = 0

  package var garbage: UInt64 { size - min(size, liveSize) }

  package init() {}
}
