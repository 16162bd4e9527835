/// A slot that recovery found.
struct FoundSlot: Sendable {
  var shard: Int
  var offset: UInt64
  var header: SlotHeader

  /// Header and payload are what was written, and the payload opens.
  var isIntact = false

  /// Header and payload are what was written, and the payload does not open.
  var isShut = false

  /// The file ends inside the payload.
  var isTorn = false

  /// Where a free slot was before.
  var isReused = false

  /// The id and the index keys of a version that may become current.
  var idKey: [UInt8] = []
  var keys: [[UInt8]?] = []

  var stamp: SlotStamp { header.stamp }
  var isRetired: Bool { stamp.flags.isRetired }

  var entry: RecordEntry {
    RecordEntry(
      sequence: stamp.sequence, shard: shard, offset: offset, capacity: header.capacity,
      payloadLength: Int(header.payloadLength), flags: stamp.flags.rawValue)
  }

  var runSlot: RecoveredRun.Slot {
    RecoveredRun.Slot(
      sequence: stamp.sequence, batchIndex: stamp.batchIndex, batchCount: stamp.batchCount,
      isIntact: isIntact, isTorn: isTorn)
  }
}

/// What became of a slot that was free.
enum FreeSlotLook: Sendable {
  /// It holds what it held when it was listed.
  case unchanged(isRetired: Bool)

  /// Another version was written there.
  case written(FoundSlot)

  /// Its header does not read.
  case unread
}

/// What tells a slot that counts from other bytes of a shard.
struct SlotCheck: Sendable {
  let shard: Shard
  let codec: PayloadCodec
  let configuration: StoreConfiguration

  /// The sequences that count: others were written before, or never.
  let sequences: ClosedRange<UInt64>

  /// Whether the keys of versions are wanted, and not their ids alone.
  let readsKeys: Bool

  /// The slot at the start of the bytes, if all of it is there.
  func slot(at offset: UInt64, in bytes: Span<UInt8>) -> FoundSlot? {
    guard let header = header(at: offset, in: bytes) else { return nil }
    let end = SlotHeader.size + Int(header.payloadLength)
    guard end <= bytes.count else { return nil }
    return slot(header, at: offset, bytes.extracting(SlotHeader.size..<end))
  }

  /// The header at the start of the bytes, if its sequence can have been given out.
  func header(at offset: UInt64, in bytes: Span<UInt8>) -> SlotHeader? {
    let header = SlotHeader(bytes, at: shard.place(offset))
    guard let header, header.stamp.sequence <= sequences.upperBound else { return nil }
    return header
  }

  /// The slot of a header, with the whole payload behind it.
  func slot(_ header: SlotHeader, at offset: UInt64, _ payload: Span<UInt8>) -> FoundSlot {
    var slot = FoundSlot(shard: shard.number, offset: offset, header: header)
    slot.isIntact = header.isIntact(payload, at: shard.place(offset))
    if slot.isIntact, !slot.isRetired, sequences.contains(header.stamp.sequence) {
      slot.isIntact = load(payload, &slot)
      slot.isShut = !slot.isIntact
    }
    return slot
  }

  /// Takes id and keys out of the payload.
  private func load(_ stored: Span<UInt8>, _ slot: inout FoundSlot) -> Bool {
    // Whatever the reason is, a slot that does not open counts as damaged.
    guard readsKeys else {
      guard let idKey = try? codec.idKey(of: stored, stamp: slot.stamp) else { return false }
      slot.idKey = idKey
      return true
    }
    var payload: [UInt8] = []
    guard let layout = try? codec.load(stored, stamp: slot.stamp, into: &payload) else {
      return false
    }
    slot.idKey = Array(payload[layout.id])
    let indexCount = configuration.indexes.count
    guard !slot.stamp.flags.isDeletion, indexCount > 0 else { return true }
    slot.keys = configuration.extractKeys(payload.span, layout)
    precondition(slot.keys.count == indexCount, "a record has one key for each index")
    return true
  }
}

/// Reads the slots of one shard, one after the other.
///
/// A header that does not read does not end the walk: it goes on at the next multiple of 32 whose
/// checks hold, so damage costs what it hits.
struct ShardWalk {
  /// Bytes that one read takes in.
  private static let windowSize = 1 << 20
  private static let slotSizeEstimate = 256

  /// Bytes that are read for a place that was free: of a slot, and of several that lie close.
  private static let smallSlotSize = 4 << 10
  private static let smallWindowSize = 16 << 10
  private static let reservationLimit = 1 << 18

  private let check: SlotCheck
  private let file: any File
  private let size: UInt64

  private(set) var found: [FoundSlot] = []

  /// Bytes that are neither zero nor part of a slot.
  private(set) var unread: [Range<UInt64>] = []
  private(set) var slotCount = 0
  private(set) var readSize: UInt64 = 0

  private var windowSize = Self.windowSize
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0

  /// All slots in the window up to here were what they should be.
  private var isWindowSound = true

  /// A walk through the file, so far as its size was when the walk began.
  init(_ file: any File, size: UInt64, check: SlotCheck) {
    self.check = check
    self.file = file
    self.size = size
  }

  var shard: Shard { check.shard }

  /// Reads all slots from the offset on.
  mutating func walk(from start: UInt64) throws(IOError) {
    let headerSize = UInt64(SlotHeader.size)
    var offset = SlotHeader.aligned(start)
    var damageEnd: UInt64 = 0
    while offset < size, size - offset >= headerSize {
      try fill(offset, SlotHeader.size)
      offset = takeIntact(from: offset)
      guard offset < size, size - offset >= headerSize else { break }
      try fill(offset, SlotHeader.size)
      guard let header = header(at: offset) else {
        if offset >= damageEnd { noteUnread(offset) }
        offset += headerSize
        continue
      }
      let slot = try read(header, at: offset)
      if check.sequences.contains(header.stamp.sequence) { found.append(slot) }
      if !slot.isIntact { damageEnd = max(damageEnd, offset + header.slotSize) }
      offset += slot.isIntact ? header.slotSize : headerSize
    }
    // What a torn write has left behind the last border.
    if offset < size, offset >= damageEnd { unread.append(offset..<size) }
  }

  /// Looks at places that were free, in the order of the file, on all cores.
  mutating func look(at slots: [FreeSlot]) throws(IOError) -> [FreeSlotLook] {
    let walk = self
    let parts = try Spread.parts(of: slots.indices) { (part) throws(IOError) in
      var walk = walk
      var looks: [FreeSlotLook] = []
      looks.reserveCapacity(part.count)
      for place in part {
        walk.windowSize = Self.windowSize(slots[place..<part.upperBound])
        looks.append(try walk.look(at: slots[place]))
      }
      return (looks, walk.readSize)
    }
    slotCount += slots.count
    for (_, size) in parts { readSize += size - walk.readSize }
    return parts.flatMap(\.0)
  }

  /// Bytes to read for the first of the slots, and for those that lie close behind it.
  private static func windowSize(_ slots: ArraySlice<FreeSlot>) -> Int {
    guard let first = slots.first else { return 0 }
    var end = first.offset
    for slot in slots {
      let slotEnd = slot.offset + min(slot.size, UInt64(smallSlotSize))
      guard slot.offset <= end + UInt64(smallSlotSize),
        slotEnd - first.offset <= UInt64(smallWindowSize)
      else { break }
      end = slotEnd
    }
    return Int(end - first.offset)
  }

  private mutating func look(at slot: FreeSlot) throws(IOError) -> FreeSlotLook {
    let offset = slot.offset
    guard offset < size, size - offset >= UInt64(SlotHeader.size) else { return .unread }
    try fill(offset, SlotHeader.size)
    guard let header = header(at: offset) else { return .unread }
    guard header.stamp.sequence != slot.sequence else {
      return .unchanged(isRetired: header.stamp.flags.isRetired)
    }
    var found = try read(header, at: offset)
    found.isReused = true
    return .written(found)
  }

  private mutating func read(
    _ header: SlotHeader, at offset: UInt64
  ) throws(IOError) -> FoundSlot {
    slotCount += 1
    let count = SlotHeader.size + Int(header.payloadLength)
    guard UInt64(count) <= size - offset else {
      var slot = FoundSlot(shard: shard.number, offset: offset, header: header)
      slot.isTorn = true
      return slot
    }
    try fill(offset, count)
    return check.slot(
      header, at: offset, bytes(offset + UInt64(SlotHeader.size), Int(header.payloadLength)))
  }

  /// Reads the slots that lie in the window one behind the other, on all cores.
  ///
  /// - Returns: The end of the last one before the first that is damaged, or cut off there.
  private mutating func takeIntact(from start: UInt64) -> UInt64 {
    // Behind damage one slot after the other is read, lest all are looked at again and again.
    guard isWindowSound else { return start }
    let chain = chain(from: start)
    let (check, window, windowStart) = (check, window, windowStart)
    let parts = Spread.parts(of: chain.indices) { part in
      var slots: [FoundSlot] = []
      slots.reserveCapacity(part.count)
      for place in chain[part] {
        let slot = check.slot(
          at: windowStart + UInt64(place), in: window.span.extracting(place..<window.count))
        guard let slot, slot.isIntact else { return (slots, isWhole: false) }
        slots.append(slot)
      }
      return (slots, isWhole: true)
    }
    reserve(chain)
    var end = start
    for (slots, isWhole) in parts where isWindowSound {
      isWindowSound = isWhole
      slotCount += slots.count
      if slots.allSatisfy({ check.sequences.contains($0.stamp.sequence) }) {
        found += slots
      } else {
        found += slots.filter { check.sequences.contains($0.stamp.sequence) }
      }
      if let last = slots.last { end = last.offset + last.header.slotSize }
    }
    return end
  }

  /// Makes room for what will be found if the rest of the file is as the window.
  private mutating func reserve(_ chain: [Int]) {
    guard found.isEmpty, chain.count > 1 else { return }
    let size = (chain[chain.count - 1] - chain[0]) / (chain.count - 1)
    let rest = Int(clamping: self.size - windowStart) / size
    found.reserveCapacity(min(rest, Self.reservationLimit) + chain.count)
  }

  /// Where slots lie in the window, each where the one before ends, if nothing is damaged.
  private func chain(from start: UInt64) -> [Int] {
    var chain: [Int] = []
    chain.reserveCapacity(window.count / Self.slotSizeEstimate)
    var place = Int(start - windowStart)
    while place + SlotHeader.size <= window.count {
      let slot = window.span.extracting(place..<place + SlotHeader.size)
      guard let capacity = SlotHeader.unverifiedCapacity(slot) else { break }
      chain.append(place)
      place += SlotHeader.size + capacity
    }
    return chain
  }

  /// The header at an offset in the window, if its sequence can have been given out.
  private func header(at offset: UInt64) -> SlotHeader? {
    check.header(at: offset, in: bytes(offset, SlotHeader.size))
  }

  private mutating func noteUnread(_ offset: UInt64) {
    if isZero(at: offset) { return }
    let end = offset + UInt64(SlotHeader.size)
    if let last = unread.last, last.upperBound == offset {
      unread[unread.count - 1] = last.lowerBound..<end
    } else if unread.count < StorageLimits.damageCount {
      unread.append(offset..<end)
    }
  }

  private func isZero(at offset: UInt64) -> Bool {
    let part = bytes(offset, SlotHeader.size)
    for index in part.indices where part[index] != 0 { return false }
    return true
  }

  @_lifetime(borrow self)
  private func bytes(_ offset: UInt64, _ count: Int) -> Span<UInt8> {
    let start = Int(offset - windowStart)
    return window.span.extracting(start..<start + count)
  }

  private static func read(
    from file: any File, at offset: UInt64, into window: inout [UInt8]
  ) throws(IOError) -> Int {
    var span = window.mutableSpan
    return try file.read(into: &span, at: offset)
  }

  /// Makes sure that the bytes, which the file has, are in the window.
  private mutating func fill(_ offset: UInt64, _ count: Int) throws(IOError) {
    let isThere =
      offset >= windowStart
      && offset - windowStart + UInt64(count) <= UInt64(window.count)
    if isThere { return }
    let wanted = Int(min(size - offset, UInt64(max(count, windowSize))))
    if window.count < wanted {
      window.append(contentsOf: repeatElement(0, count: wanted - window.count))
    } else {
      window.removeLast(window.count - wanted)
    }
    let filled = try Self.read(from: file, at: offset, into: &window)
    window.removeLast(window.count - filled)
    windowStart = offset
    isWindowSound = true
    readSize += UInt64(wanted)
    guard window.count >= count else {
      throw IOError("pread", path: shard.fileName, code: 0)
    }
  }
}
