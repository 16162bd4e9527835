/// A retired slot, which may be written again.
struct FreeSlot: Equatable, Sendable {
  var shard: UInt16
  var capacity: UInt32
  var offset: UInt64

  /// The sequence in its header, by which it is known again.
  var sequence: UInt64

  init(shard: UInt16, capacity: UInt32, offset: UInt64, sequence: UInt64) {
    self.shard = shard
    self.capacity = capacity
    self.offset = offset
    self.sequence = sequence
  }

  /// Bytes of the slot, header included.
  var size: UInt64 { UInt64(SlotHeader.size) + UInt64(capacity) }
}

extension [FreeSlot] {
  /// Bytes of all of them. - Complexity: O(*n*)
  var size: UInt64 { reduce(0) { $0 + $1.size } }
}

/// The retired slots of a collection, and those few among them that may be used again.
///
/// Only *active* slots are given out before the next checkpoint, which names the next ones. So
/// recovery has to look at these alone to find what was written into free slots.
struct FreeSlots: Sendable {
  /// More free slots than this are not remembered; compaction gives their space back.
  static let countLimit = 1 << 16

  /// The active slots by shard, each list ordered by capacity.
  private var active: [UInt16: [FreeSlot]] = [:]
  private(set) var activeCount = 0

  /// The others, which may be still to be read.
  let others: LazyPart<[FreeSlot]>

  init() { others = LazyPart([]) }

  init(active: [FreeSlot], inactive: [FreeSlot]) {
    self.init(active: active, others: LazyPart(inactive))
  }

  init(active: [FreeSlot], others: LazyPart<[FreeSlot]>) {
    self.others = others
    for slot in active { self.active[slot.shard, default: []].append(slot) }
    for shard in self.active.keys { self.active[shard]?.sort { $0.capacity < $1.capacity } }
    activeCount = active.count
  }

  var inactive: [FreeSlot] { others.content }

  /// Bytes of the active ones.
  var activeSize: UInt64 { active.values.reduce(0) { $0 + $1.size } }

  /// All of them, the active ones first.
  var all: [FreeSlot] { activeSlots + inactive }

  /// The active ones, in the order of shards.
  var activeSlots: [FreeSlot] {
    active.keys.sorted().flatMap { active[$0] ?? [] }
  }

  /// Takes out the smallest active slot that holds the capacity and is at most twice as large.
  mutating func take(shard: Int, capacity: Int) -> FreeSlot? {
    let key = UInt16(shard)
    guard activeCount > 0, let slots = active[key] else { return nil }
    var (low, high) = (0, slots.count)
    while low < high {
      let middle = (low + high) / 2
      if Int(slots[middle].capacity) < capacity { low = middle + 1 } else { high = middle }
    }
    guard low < slots.count, Int(slots[low].capacity) <= 2 * capacity else { return nil }
    activeCount -= 1
    return active[key]?.remove(at: low)
  }

  /// The same slots without those of some shards.
  func removing(shards: ShardSet) -> FreeSlots {
    FreeSlots(
      active: activeSlots.filter { !shards.contains(Int($0.shard)) },
      inactive: inactive.filter { !shards.contains(Int($0.shard)) })
  }

  /// Chooses new active slots out of all, spread over the list so that all sizes are among them.
  static func choosing(from slots: [FreeSlot]) -> FreeSlots {
    let limit = StorageLimits.activeFreeSlotCount
    guard slots.count > limit else { return FreeSlots(active: slots, inactive: []) }
    let kept = slots.count > countLimit ? Array(slots.suffix(countLimit)) : slots
    let step = (kept.count + limit - 1) / limit
    var (active, inactive): ([FreeSlot], [FreeSlot]) = ([], [])
    for (index, slot) in kept.enumerated() {
      if index % step == 0 { active.append(slot) } else { inactive.append(slot) }
    }
    return FreeSlots(active: active, inactive: inactive)
  }
}
