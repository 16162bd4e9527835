import NyaruEngine
import TestSupport

/// A store on a simulated disk, and where each version of each record lies.
struct DamageSubject: Sendable {
  /// One version of a record.
  struct Slot: Sendable {
    var id: Int
    var file: String
    var range: Range<Int>
    var sequence: UInt64
  }

  private(set) var image = DiskImage()

  /// The disk before the last checkpoint, for slots and files that are put back.
  private(set) var older = DiskImage()
  private(set) var records: [Int: [UInt8]] = [:]

  /// All bodies that a record ever had.
  private(set) var bodies: [Int: Set<[UInt8]>] = [:]
  private(set) var slots: [Slot] = []
  let key: SecretKey?
  let isClosed: Bool
  private var configuration: StoreConfiguration

  static let ids = 0..<12

  /// What is written last, and what is written after the last sync.
  static let lastID = 9
  static let unsyncedIDs = 8..<10

  /// Twelve records in two shards, some of them written twice and one deleted; a part is newer than
  /// the checkpoint. Unless `closed`, the process is killed.
  init(closed: Bool, key: SecretKey? = nil) throws {
    self.key = key
    isClosed = closed
    configuration = TestRecords.configuration(key: key)
    let disk = SimulatedDisk()
    configuration.bootID = disk.bootID
    let store = try Store.open(directory: disk.root, configuration: configuration)
    for id in Self.ids { try write(id, 1, store, disk) }
    try store.checkpoint()
    for id in 3..<5 { try write(id, 2, store, disk) }
    older = disk.image
    try store.checkpoint()
    for id in 5..<8 { try write(id, 3, store, disk) }
    try store.commit([TestRecords.deletion(2, shards: 2)])
    try note(2, store, disk)
    records[2] = nil
    try store.sync()
    for id in Self.unsyncedIDs { try write(id, 4, store, disk) }
    if closed { try store.close() }
    image = disk.image
  }

  private mutating func write(
    _ id: Int, _ first: UInt8, _ store: Store, _ disk: SimulatedDisk
  ) throws {
    let body = [first] + Array(repeating: UInt8(id), count: 30 + id * 3)
    try store.commit([TestRecords.write(id, body, shards: 2)])
    records[id] = body
    bodies[id, default: []].insert(body)
    try note(id, store, disk)
  }

  private mutating func note(_ id: Int, _ store: Store, _ disk: SimulatedDisk) throws {
    guard let entry = try store.reader.entry(TestRecords.idKey(id)) else { return }
    let start = Int(entry.offset)
    let range = start..<start + SlotHeader.size + Int(entry.capacity)
    let image = disk.image
    // The checks of a header cover its place, so it reads in one file alone.
    for name in image.names("shards") {
      guard let bytes = image.bytes("shards/" + name), bytes.count >= range.upperBound,
        let fileID = UInt64(name.suffix(16), radix: 16)
      else { continue }
      let part = Array(bytes[start..<start + SlotHeader.size])
      let header = SlotHeader(part.span, at: SlotPlace(fileID: fileID, offset: entry.offset))
      guard header?.stamp.sequence == entry.sequence else { continue }
      slots.append(
        Slot(id: id, file: "shards/" + name, range: range, sequence: entry.sequence))
    }
  }

  /// The slots of the newest versions.
  var newest: [Slot] {
    Self.ids.compactMap { id in slots.last { $0.id == id } }
  }

  var files: [String] {
    (image.names().filter { !["shards", "quarantine"].contains($0) }
      + image.names("shards").map { "shards/" + $0 }).sorted()
  }

  /// The records whose newest version is not on the disk any more as it was.
  func hits(in damaged: DiskImage) -> Set<Int> {
    var hits: Set<Int> = []
    for slot in newest {
      let bytes = image.bytes(slot.file) ?? []
      let now = damaged.bytes(slot.file) ?? []
      // The last bytes of a capacity need not be there.
      let end = min(slot.range.upperBound, bytes.count)
      let isWhole =
        now.count >= end
        && now[slot.range.lowerBound..<end] == bytes[slot.range.lowerBound..<end]
      if !isWhole { hits.insert(slot.id) }
    }
    return hits
  }

  func open(_ disk: SimulatedDisk) throws -> Store {
    try Store.open(directory: disk.root, configuration: configuration)
  }
}

/// A damaged disk, and what must hold on it.
struct DamagedStore {
  struct Violation: Error, CustomStringConvertible {
    var description: String
  }

  let subject: DamageSubject
  let image: DiskImage

  /// Records that may be lost although their bytes are as they were.
  var exposed: Set<Int> = []

  /// Opens the store, and compares all that it says with what was written; if it is to go on,
  /// writes, closes and opens again, too.
  func check(goesOn: Bool) throws {
    let disk = SimulatedDisk(image)
    let store = try subject.open(disk)
    let (records, damaged) = try contents(of: store)
    let different = DamageSubject.ids.filter { records[$0] != subject.records[$0] }
    if different.isEmpty, damaged == 0, !goesOn { return }
    let hits = subject.hits(in: image).union(exposed)
    guard hits.isSuperset(of: different) else {
      throw Violation(description: "lost \(different), hit \(hits.sorted()), \(store.openReport)")
    }
    for id in different {
      guard let body = records[id] else { continue }
      guard subject.bodies[id]?.contains(body) ?? false else {
        throw Violation(description: "\(id) was never written")
      }
    }
    // What is left of a killed process's last write may be all that it had written.
    let isLast = !subject.isClosed && different == [DamageSubject.lastID]
    if different.count > damaged, !store.openReport.lostState, !isLast {
      throw Violation(description: "lost \(different) in silence: \(store.openReport)")
    }
    if damaged > 0 { try checkNames(of: different.filter { records[$0] == nil }, store) }
    guard goesOn else { return }
    try goOn(disk, store, records)
  }

  /// What a reader sees; where a part of the checkpoint does not read, after it was built anew.
  private func contents(of store: Store) throws -> (records: [Int: [UInt8]], damaged: Int) {
    do {
      return try TestRecords.contents(of: store.reader.snapshot())
    } catch StorageError.damaged(let file, _, _) {
      guard file.hasPrefix("checkpoint."), try store.rebuild() else {
        throw Violation(description: "\(file) keeps readers out")
      }
      return try TestRecords.contents(of: store.reader.snapshot())
    }
  }

  /// The check names file, offset and id of what memory knows and the disk does not say.
  private func checkNames(of ids: [Int], _ store: Store) throws {
    let report = try store.check()
    for id in ids {
      let key = TestRecords.idKey(id)
      guard let entry = try store.reader.entry(key) else { continue }
      let isNamed = report.damaged.contains { place in
        place.idKey == key && place.offset == entry.offset
          && subject.slots.contains { $0.id == id && $0.file == "shards/" + place.file }
      }
      if !isNamed { throw Violation(description: "\(id) is not named: \(report.damaged)") }
    }
  }

  private func goOn(_ disk: SimulatedDisk, _ store: Store, _ records: [Int: [UInt8]]) throws {
    try store.commit([TestRecords.write(100, [1], shards: 2)])
    try store.close()
    let again = try subject.open(disk)
    // The header of a shard is read again only when there is something to recover.
    guard !again.openReport.lostState else {
      throw Violation(description: "again: \(again.openReport)")
    }
    let (second, _) = try contents(of: again)
    guard second == records.merging([100: [1]], uniquingKeysWith: { $1 }) else {
      throw Violation(description: "not the same again")
    }
  }
}
