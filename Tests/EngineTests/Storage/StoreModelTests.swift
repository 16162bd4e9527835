import NyaruEngine
import TestSupport
import Testing

/// The store against a dictionary, under random operations.
@Suite struct StoreModelTests {
  @Test(arguments: 0..<24)
  func `a store does what a dictionary does`(seed: UInt64) throws {
    var run = try StoreRun(seed: seed, key: seed % 4 == 3 ? SecretKey.random() : nil)
    for _ in 0..<150 { try run.step() }
    try run.finish()
  }
}

/// One random history of a store, beside a dictionary that had the same.
struct StoreRun {
  private let disk = SimulatedDisk()
  private let configuration: StoreConfiguration
  private var random: SeededGenerator
  private var store: Store
  private var model: [Int: [UInt8]] = [:]
  private var sequences: [Int: UInt64] = [:]
  private var snapshots: [(StoreSnapshot, [Int: [UInt8]])] = []
  private var serial = 0

  init(seed: UInt64, key: SecretKey?) throws {
    random = SeededGenerator(seed: seed)
    var configuration = TestRecords.configuration(key: key)
    configuration.keepsDeletionMarkers = seed % 2 == 0
    configuration.openFileLimit = seed % 3 == 0 ? 2 : 64
    self.configuration = configuration
    store = try Store.open(directory: disk.root, configuration: configuration)
  }

  mutating func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<45: try write(count: 1)
    case ..<62: try write(count: Int.random(in: 2...40, using: &random))
    case ..<70: try store.sync()
    case ..<78: try store.checkpoint()
    case ..<84: try compact()
    case ..<90: holdSnapshot()
    case ..<94: try reopen(closing: true)
    case ..<97: try reopen(closing: false)
    default: try compareAll()
    }
    try compareOne()
    if let (snapshot, state) = snapshots.randomElement(using: &random), serial % 4 == 0 {
      try compare(snapshot, state)
    }
  }

  mutating func finish() throws {
    try compareAll()
    let report = try store.check()
    #expect(report.damaged == [])
    #expect(report.records == model.count)
    snapshots = []
    try store.close()
    store = try Store.open(directory: disk.root, configuration: configuration)
    #expect(store.openReport.kind == .clean)
    try compareAll()
  }

  private mutating func write(count: Int) throws {
    var records: [RecordWrite] = []
    for offset in 0..<count {
      let id = Int.random(in: 0..<60, using: &random)
      let isDeletion = Int.random(in: 0..<4, using: &random) == 0 && model[id] != nil
      if isDeletion {
        records.append(TestRecords.deletion(id))
        model[id] = nil
      } else {
        serial += 1
        let size = Int.random(in: 0..<300, using: &random)
        let body = (0..<size).map { UInt8(truncatingIfNeeded: serial &+ $0) }
        records.append(TestRecords.write(id, body))
        model[id] = body
      }
      sequences[id] = store.nextSequence + UInt64(offset)
    }
    try store.commit(records, isGroup: count == 3)
  }

  private mutating func compact() throws {
    guard try store.beginCompaction() else { return }
    while try !store.stepCompaction() {
      if Bool.random(using: &random) { try write(count: 1) }
    }
  }

  private mutating func holdSnapshot() {
    if snapshots.count > 2 { snapshots.remove(at: Int.random(in: 0..<3, using: &random)) }
    snapshots.append((store.reader.snapshot(), model))
  }

  private mutating func reopen(closing: Bool) throws {
    snapshots = []
    if closing { try store.close() }
    store = try Store.open(directory: disk.root, configuration: configuration)
    #expect(store.openReport.damaged == [])
    #expect(!store.openReport.lostState)
    if closing { #expect(store.openReport.kind == .clean) }
    #expect(store.openReport.kind != .walked)
    #expect(store.openReport.droppedVersions == 0)
    try compareAll()
  }

  private mutating func compareOne() throws {
    let id = Int.random(in: 0..<60, using: &random)
    let record = try store.reader.record(TestRecords.idKey(id))
    #expect(record.map { Array($0.body) } == model[id])
    if let record { #expect(record.sequence == sequences[id]) }
  }

  private func compareAll() throws {
    let snapshot = store.reader.snapshot()
    try compare(snapshot, model)
    let changes = try snapshot.changes(after: 0)
    #expect(changes.map(\.sequence) == changes.map(\.sequence).sorted())
    for entry in changes where snapshot.entry(entry.handle)?.isDeletion == false {
      let id = try TestRecords.id(snapshot.record(handle: entry.handle).idKey)
      #expect(id.map { sequences[$0] } == entry.sequence)
    }
  }

  private func compare(_ snapshot: StoreSnapshot, _ state: [Int: [UInt8]]) throws {
    let contents = try TestRecords.contents(of: snapshot)
    #expect(contents.records == state)
    #expect(contents.damaged == 0)
    #expect(snapshot.liveCount == state.count)
    var ids: [Int] = []
    var handles: [UInt32] = []
    try snapshot.forEachID { handle in
      handles.append(handle)
      return true
    }
    for record in try snapshot.records(handles) {
      ids.append(TestRecords.id(try record.get().idKey) ?? -1)
    }
    #expect(ids == state.keys.sorted { "id\($0)" < "id\($1)" })
    try compareIndex(snapshot, state)
  }

  private func compareIndex(_ snapshot: StoreSnapshot, _ state: [Int: [UInt8]]) throws {
    let low = UInt8(truncatingIfNeeded: serial &* 7)
    let range = KeyRange(from: [low], to: [low &+ 60 > low ? low &+ 60 : 255])
    var found: [Int] = []
    try snapshot.forEach(inIndex: 0, range) { handle in
      if let record = try? snapshot.record(handle: handle) {
        found.append(TestRecords.id(record.idKey) ?? -1)
      }
      return true
    }
    let expected = state.filter { $0.value.first.map { range.contains([$0]) } ?? false }.keys
    #expect(found.sorted() == expected.sorted())
    #expect(try snapshot.count(inIndex: 0, range) == expected.count)
  }
}

extension KeyRange {
  fileprivate func contains(_ key: [UInt8]) -> Bool {
    ByteOrder.compare(lower, key) <= 0 && (upper.map { ByteOrder.compare(key, $0) < 0 } ?? true)
  }
}
