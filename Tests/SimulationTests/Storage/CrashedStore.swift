import NyaruEngine
import TestSupport

/// One crash of a store's life: what it leaves, and whether that keeps the promises.
struct CrashedStore {
  var image: DiskImage
  var promise: StorePromise
  var survival: Survival
  var damage = InjectedDamage.none

  /// What a kill, or a failure, leaves of a write can look like a version that was damaged.
  private let isCutOff: Bool

  /// The life ends during the call; `start` is the disk before it.
  init(
    _ life: StoreLife, before start: DiskImage, during call: Int, _ survival: Survival,
    _ random: inout SeededGenerator
  ) {
    let journal = life.disk.journal
    let event = call < journal.count ? journal[call] : nil
    image = start.crashed(survival, during: event, &random)
    let moment = life.moments.last { $0.callCount <= call } ?? life.moments[0]
    promise = moment.promise
    promise.crash(
      survival, during: event, after: journal[moment.callCount..<min(call, journal.count)])
    self.survival = survival
    isCutOff = survival == .kill && promise.attempt != nil
  }

  /// Opens the store, and in some cases crashes that, too, at any of its calls.
  func check(_ configuration: StoreConfiguration, _ random: inout SeededGenerator) throws -> Int {
    let life = try StoreLife(image, promise, after: survival, configuration, expecting: damage)
    try checkReport(life.store)
    var count = 1
    if damage == .none, Int.random(in: 0..<3, using: &random) == 0 {
      let calls = life.disk.callCount
      let call = Int.random(in: 0...calls, using: &random)
      var start = image
      for event in life.disk.journal[..<call] { start.apply(event) }
      let again = CrashedStore(
        life, before: start, during: call, random.pick(Survival.allCases), &random)
      count += try again.check(configuration, &random)
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: try goOn(life)
    case 2: try walk(life)
    case 3:
      let report = try life.store.check()
      guard report.isSound || damage != .none else {
        throw BrokenPromise("the check finds \(report.damaged)")
      }
    default: break
    }
    return count
  }

  private func checkReport(_ store: Store) throws {
    let report = store.openReport
    guard damage == .none, !isCutOff else { return }
    guard report.damaged.isEmpty, !report.lostState else {
      throw BrokenPromise("a false alarm after \(survival): \(report)")
    }
  }

  /// The store goes on as if nothing had been.
  private func goOn(_ life: StoreLife) throws {
    guard damage == .none else { return }
    var life = life
    try life.write([(98, Array("98 after".utf8)), (99, Array("99 after".utf8))])
    try life.write([(98, nil)])
    try life.closeAndOpen()
    try life.checkReaders()
  }

  /// A walk over all slots sees the same.
  private func walk(_ life: StoreLife) throws {
    guard damage == .none else { return }
    var image = life.disk.image
    for name in image.names() where name.hasPrefix("checkpoint.") { image.remove(name) }
    _ = try StoreLife(image, life.promise, after: .kill, life.configuration)
  }
}

extension CrashedStore {
  /// Damages the newer cell of the head, if the older one is whole, too.
  mutating func damageHead() {
    guard let bytes = image.bytes("head") else { return }
    var counts: [UInt64] = []
    for (number, offset) in HeadCell.offsets.enumerated() {
      let part = Array(bytes.dropFirst(Int(offset)).prefix(HeadCell.size))
      guard
        let cell = try? HeadCell(
          part.span, cell: number, collectionID: TestRecords.collectionID)
      else { return }
      counts.append(cell.count)
    }
    let newer = counts[0] > counts[1] ? 0 : 1
    image.damage("head", at: Int(HeadCell.offsets[newer]) + 20) { $0 ^ 0x40 }
    damage = .head
  }

  /// Takes the checkpoints away.
  mutating func loseCheckpoint() {
    for name in image.names() where name.hasPrefix("checkpoint.") { image.remove(name) }
    damage = .checkpoint
  }

  /// Damages a byte of a record that has not changed for some time.
  mutating func damageRecord(_ random: inout SeededGenerator) {
    let old = promise.steadyIDs
    guard survival == .kill, !promise.isCut, let id = old.randomElement(using: &random),
      let body = promise.acknowledged[id], body.count > 8
    else { return }
    for name in image.names("shards") {
      guard let bytes = image.bytes("shards/" + name),
        let place = bytes.firstRange(of: body)?.lowerBound
      else { continue }
      image.damage("shards/" + name, at: place + 4) { $0 ^ 0x10 }
      damage = .record(id)
      return
    }
  }
}
