internal import Synchronization

/// Versions that lie behind the checkpoint, found when the store was opened, on their way into
/// its image.
///
/// To take them in, nearly all of a large checkpoint may have to be read. So it is done when
/// somebody needs more than single records: until then those that are here are looked up here.
final class RecoveredTail: Sendable {
  /// What came of taking the versions in.
  struct Merged: Sendable {
    var image: StoreImage

    /// The slots that are needed no more.
    var dead: [DeadSlot]
  }

  /// The newest version of each record, in ascending order of sequence.
  let newest: [FoundSlot]

  /// The places of records among them.
  private let places: [[UInt8]: Int]

  /// The slots of the others.
  private let superseded: [DeadSlot]

  private let hasKeys: Bool
  private let indexCount: Int
  private let extractKeys: StoreConfiguration.KeyExtractor
  private let outcome = Mutex<Merged?>(nil)

  /// The slots ascend by sequence; `hasKeys` says whether their keys were read.
  init(_ slots: [FoundSlot], hasKeys: Bool, configuration: StoreConfiguration) {
    var places: [[UInt8]: Int] = [:]
    places.reserveCapacity(slots.count)
    var superseded: [DeadSlot] = []
    var isOld = [Bool](repeating: false, count: slots.count)
    for place in slots.indices {
      guard let old = places.updateValue(place, forKey: slots[place].idKey) else { continue }
      isOld[old] = true
      superseded.append(DeadSlot(slots[old].entry, died: slots[place].stamp.sequence))
    }
    if superseded.isEmpty {
      newest = slots
    } else {
      newest = slots.indices.lazy.filter { !isOld[$0] }.map { slots[$0] }
      for (place, slot) in newest.enumerated() { places[slot.idKey] = place }
    }
    self.places = places
    self.superseded = superseded
    self.hasKeys = hasKeys
    indexCount = configuration.indexes.count
    extractKeys = configuration.extractKeys
  }

  /// The record's newest version, if it lies behind the checkpoint.
  func entry(_ idKey: [UInt8]) -> RecordEntry? { places[idKey].map { newest[$0].entry } }

  /// What ``merge(into:_:)`` has returned.
  var merged: Merged? { outcome.withLock { $0 } }

  /// The image with all versions in it; the first caller does the work, others wait for it.
  ///
  /// - Returns: `nil` if a part of the checkpoint does not read, or the disk fails; the image's
  ///   origin remembers why.
  func merge(into base: StoreImage, _ source: SlotSource) -> Merged? {
    outcome.withLock { outcome in
      if outcome == nil { outcome = makeMerged(base, source) }
      return outcome
    }
  }

  private func makeMerged(_ base: StoreImage, _ source: SlotSource) -> Merged? {
    base.loadParts(for: newest.count)
    let versions: [PlacedVersion]
    do throws(StorageError) { versions = try self.versions(base, source) } catch {
      base.origin?.note(error)
      return nil
    }
    var image = base
    let dead = image.apply(versions)
    guard image.origin?.failure == nil else { return nil }
    return Merged(image: image, dead: superseded + dead)
  }

  private func versions(
    _ base: StoreImage, _ source: SlotSource
  ) throws(StorageError) -> [PlacedVersion] {
    let replaced = Spread.map(newest) { base.entry($0.idKey.span) }
    let (previousKeys, keys) = try keys(replaced, source)
    return newest.indices.map { place in
      PlacedVersion(
        entry: newest[place].entry, idKey: newest[place].idKey,
        // A version that does not read any more has keys that nobody knows.
        keys: keys[place] ?? Array(repeating: nil, count: indexCount),
        previousKeys: previousKeys[place])
    }
  }

  /// The keys that the records had before, and those that they have now.
  private func keys(
    _ replaced: [RecordEntry?], _ source: SlotSource
  ) throws(StorageError) -> (previous: [[[UInt8]?]?], new: [[[UInt8]?]?]) {
    let none = [[[UInt8]?]?](repeating: [], count: newest.count)
    guard indexCount > 0 else { return (none, none) }
    let known = replaced.indices.filter { replaced[$0] != nil }
    let found = try source.keys(of: replaced.compactMap(\.self), extractKeys)
    var previous = none
    for (place, keys) in zip(known, found) { previous[place] = keys }
    if hasKeys { return (previous, newest.map(\.keys)) }
    return (previous, try source.keys(of: newest.map(\.entry), extractKeys))
  }
}
