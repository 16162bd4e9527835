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

  /// Bytes of retired slots that may be used again.
  package var freeSize: UInt64 = 0

  /// Snapshots that are held.
  package var pins = 0

  package var lastSequence: UInt64 = 0
  package var durableSequence: UInt64 = 0

  /// What was done since the store was opened.
  package var activity = StoreActivity()

  package var garbage: UInt64 { size - min(size, liveSize) }

  package init() {}
}

/// What a store has done since it was opened: counters that only grow.
package struct StoreActivity: Equatable, Sendable {
  /// Records that were read, and the bytes of the slots, or of the windows over many slots.
  package var reads: UInt64 = 0
  package var readSize: UInt64 = 0

  /// Versions that did not read.
  package var unreadable: UInt64 = 0

  /// Versions that were written, and the bytes of their slots.
  package var writes: UInt64 = 0
  package var writtenSize: UInt64 = 0

  /// Flushes, those of checkpoints among them.
  package var syncs: UInt64 = 0

  package var checkpoints: UInt64 = 0
  package var checkpointSize: UInt64 = 0

  /// Compactions, the bytes that they wrote, and those that they gave back.
  package var compactions: UInt64 = 0
  package var movedSize: UInt64 = 0
  package var reclaimedSize: UInt64 = 0

  package init() {}
}
