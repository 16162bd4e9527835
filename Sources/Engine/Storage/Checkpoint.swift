/// A store's state, written down so that opening need not read the slots.
///
/// It is a cache: a checkpoint that is missing or wrong costs a walk over all slots.
struct Checkpoint: Sendable {
  var generation: UInt64
  var image: StoreImage

  /// Higher than all sequences that were given out.
  var nextSequence: UInt64
  var indexes: [IndexDefinition]
  var shards: [CheckpointDirectory.ShardEntry]
  var activeFree: [FreeSlot]

  /// The other free slots: a list that may be long, and that only the next checkpoint needs.
  var free: LazyPart<[FreeSlot]>

  /// Slots to be retired as soon as this checkpoint counts.
  var retire: LazyPart<[FreeSlot]>

  /// The free slots that are not active, once all that were to be retired are.
  var freeOnceRetired: LazyPart<[FreeSlot]> {
    let (activeFree, free, retire) = (activeFree, free, retire)
    return LazyPart {
      let active = Set(activeFree.map(\.location))
      return .content(free.content + retire.content.filter { !active.contains($0.location) })
    }
  }

  static func fileName(_ generation: UInt64) -> String { "checkpoint.\(generation)" }

  /// The generation in a file's name.
  static func generation(_ fileName: String) -> UInt64? {
    let prefix = "checkpoint."
    guard fileName.hasPrefix(prefix), let generation = UInt64(fileName.dropFirst(prefix.count)),
      generation < UInt64(Int64.max), Self.fileName(generation) == fileName
    else { return nil }
    return generation
  }
}
