/// One file of slots: the identity that readers and the writer share.
final class Shard: Sendable {
  /// The number that record entries name it by.
  let number: Int

  let name: ShardName
  let fileName: String

  init(number: Int, name: ShardName) {
    self.number = number
    self.name = name
    fileName = name.fileName
  }

  func place(_ offset: UInt64) -> SlotPlace {
    SlotPlace(fileID: name.fileID, offset: offset)
  }
}

/// Some shards, by number.
struct ShardSet {
  private var isContained: [Bool] = []

  init(_ numbers: some Sequence<Int>) {
    for number in numbers {
      while isContained.count <= number { isContained.append(false) }
      isContained[number] = true
    }
  }

  func contains(_ number: Int) -> Bool { number < isContained.count && isContained[number] }
}

/// What the writer knows of a shard.
struct ShardState {
  let shard: Shard

  /// Where the next slot goes: a multiple of 32.
  var length: UInt64

  /// Bytes of the slots that are current.
  var liveSize: UInt64 = 0

  /// The id of the first snapshot that may see it.
  var firstPin: UInt64 = 0

  init(shard: Shard, length: UInt64) {
    self.shard = shard
    self.length = length
  }

  /// Takes notice that the slot is not current any more.
  mutating func subtract(_ slot: DeadSlot) { liveSize -= min(liveSize, slot.size) }

  /// Bytes of slots that are not current.
  var garbage: UInt64 {
    let size = length - min(length, UInt64(ShardHeader.size))
    return size - min(size, liveSize)
  }
}

/// The files that are open for reading: the least recently used one is closed first.
///
/// Files that are dirty stay open besides, because the writer holds them until they are synced.
struct OpenFiles: Sendable {
  private struct Entry: Sendable {
    var file: (any File)?
    var lastUse: UInt64 = 0
  }

  private var entries: [Entry] = []
  private var clock: UInt64 = 0
  private var openCount = 0
  private let limit: Int

  init(limit: Int) { self.limit = max(1, limit) }

  mutating func file(_ number: Int) -> (any File)? {
    guard number < entries.count, let file = entries[number].file else { return nil }
    clock += 1
    entries[number].lastUse = clock
    return file
  }

  mutating func insert(_ file: any File, _ number: Int) {
    while entries.count <= number { entries.append(Entry()) }
    if entries[number].file == nil { openCount += 1 }
    clock += 1
    entries[number] = Entry(file: file, lastUse: clock)
    if openCount > limit { closeOldest() }
  }

  mutating func remove(_ number: Int) {
    guard number < entries.count, entries[number].file != nil else { return }
    entries[number].file = nil
    openCount -= 1
  }

  /// Closes all that nobody is reading: the process has no descriptors left.
  mutating func removeAll() {
    entries = []
    openCount = 0
  }

  private mutating func closeOldest() {
    var oldest: Int?
    for (number, entry) in entries.enumerated() where entry.file != nil {
      if entry.lastUse < oldest.map({ entries[$0].lastUse }) ?? .max { oldest = number }
    }
    if let oldest { remove(oldest) }
  }
}

/// The snapshots that are held, and at which sequence each was taken.
struct Pins: Sendable {
  private(set) var sequences: [UInt64: UInt64] = [:]
  private var nextID: UInt64 = 0

  var count: Int { sequences.count }

  mutating func add(_ sequence: UInt64) -> UInt64 {
    nextID += 1
    sequences[nextID] = sequence
    return nextID
  }

  mutating func remove(_ id: UInt64) { sequences[id] = nil }

  /// The highest id that was given out.
  var lastID: UInt64 { nextID }

  /// Whether any snapshot of those ids is still held.
  func contains(in ids: ClosedRange<UInt64>) -> Bool { sequences.keys.contains { ids ~= $0 } }

  /// Whether a snapshot needs the slot.
  func contains(_ slot: DeadSlot) -> Bool {
    sequences.values.contains { slot.born <= $0 && $0 < slot.died }
  }
}
