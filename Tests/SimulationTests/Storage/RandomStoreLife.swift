import Glibc
import NyaruEngine
import Synchronization
import TestSupport

/// Random lives of one store, each ended by a crash, with everything at once: syncs beside the
/// writer, calls that fail, snapshots, compaction in steps, small and large batches.
struct RandomStoreLife {
  private static let idCount = 12
  private static let snapshotLimit = 3

  private let seed: UInt64
  private var random: SeededGenerator
  private var configuration: StoreConfiguration
  private var serial = 0
  private var isCompacting = false

  /// How many crashes were tried.
  private(set) var pointCount = 0

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    let key = seed % 8 == 7 ? SecretKey([UInt8](repeating: 7, count: SecretKey.size).span) : nil
    configuration = TestRecords.configuration(key: key, indexed: seed % 3 == 0)
    configuration.keepsDeletionMarkers = seed % 2 == 0
    configuration.openFileLimit = seed % 5 == 0 ? 2 : 64
    let numbers = FileNumbers(seed: seed)
    configuration.makeFileID = { numbers.next() }
  }

  /// Lives and crashes until so many crashes were tried.
  mutating func run(pointLimit: Int) throws {
    var crashed: CrashedStore?
    while pointCount < pointLimit {
      var life: StoreLife
      if let crashed {
        life = try StoreLife(
          crashed.image, crashed.promise, after: crashed.survival, configuration)
      } else {
        life = try StoreLife(DiskImage(), StorePromise(), after: .kill, configuration)
      }
      isCompacting = false
      try live(&life)
      crashed = try crash(life)
    }
  }

  /// Some operations, up to a failure that leaves nothing but crashing.
  private mutating func live(_ life: inout StoreLife) throws {
    if Int.random(in: 0..<10, using: &random) < 6 { injectFault(life.disk) }
    for _ in 0..<Int.random(in: 1...60, using: &random) {
      do {
        try step(&life)
        try life.checkReaders()
      } catch let error as StorageError {
        life.disk.setFault(nil)
        switch error {
        case .io: break
        // A store on a full disk opens for reading.
        case .poisoned(let cause) where cause.isOutOfSpace: break
        default: throw error
        }
        try life.checkRefusal()
        if life.isOpen, life.store.poison == nil { continue }
        if Int.random(in: 0..<10, using: &random) < 4 { return }
        isCompacting = false
        try life.reopen()
      }
    }
    life.disk.setFault(nil)
  }

  private mutating func injectFault(_ disk: SimulatedDisk) {
    let code = random.pick([EIO, ENOSPC])
    disk.setFault(
      DiskFault(
        after: Int.random(in: 0...120, using: &random), code: code, seed: random.next()))
  }

  private mutating func step(_ life: inout StoreLife) throws {
    if life.hasJob, Int.random(in: 0..<10, using: &random) < 4 { try life.stepSync() }
    if isCompacting, Bool.random(using: &random) { isCompacting = try !life.stepCompaction() }
    switch Int.random(in: 0..<100, using: &random) {
    case ..<45: try life.write([change(life)])
    case ..<65: try life.write(batch(life))
    case ..<66: try life.write(largeBatch())
    case ..<77: try life.beginSync(deferring: Bool.random(using: &random))
    case ..<80: try life.sync()
    case ..<86: try life.checkpoint()
    case ..<92: isCompacting = try isCompacting || life.beginCompaction()
    case ..<95:
      if life.snapshotCount < Self.snapshotLimit {
        life.holdSnapshot()
      } else {
        life.dropSnapshot(&random)
      }
    case ..<97:
      isCompacting = false
      try life.closeAndOpen()
    case ..<98:
      isCompacting = false
      try life.reopen()
    default: break
    }
  }

  private mutating func change(_ life: StoreLife) -> (id: Int, body: [UInt8]?) {
    let id = Int.random(in: 0..<Self.idCount, using: &random)
    let isDeletion = Int.random(in: 0..<10, using: &random) < 3
    if isDeletion, life.promise.acknowledged[id] != nil { return (id, nil) }
    return (id, body())
  }

  private mutating func batch(_ life: StoreLife) -> [(id: Int, body: [UInt8]?)] {
    var changes: [Int: [UInt8]?] = [:]
    for _ in 0..<Int.random(in: 2...6, using: &random) {
      let (id, body) = change(life)
      changes.updateValue(body, forKey: id)
    }
    return changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// More than is reserved at once.
  private mutating func largeBatch() -> [(id: Int, body: [UInt8]?)] {
    (100..<140).map { ($0, serial % 2 == 0 ? nil : body()) }
  }

  private mutating func body() -> [UInt8] {
    serial += 1
    let text = Array("\(serial).".utf8)
    let count = Int.random(in: 1...60, using: &random)
    return [[UInt8]](repeating: text, count: count).flatMap { $0 }
  }
}

extension RandomStoreLife {
  /// Crashes that are tried of one life, besides the one with which the next life begins.
  private static let crashCount = 24

  /// Tries crashes all over the life, and returns one more.
  private mutating func crash(_ life: StoreLife) throws -> CrashedStore {
    let journal = life.disk.journal
    var calls = (0..<Self.crashCount).map { _ in Int.random(in: 0...journal.count, using: &random) }
    calls.sort()
    var image = life.disk.start
    var next = 0
    for call in calls {
      while next < call {
        image.apply(journal[next])
        next += 1
      }
      var crashed = CrashedStore(
        life, before: image, during: call, random.pick(Survival.allCases), &random)
      switch Int.random(in: 0..<100, using: &random) {
      case ..<12: crashed.damageHead()
      case ..<32: crashed.loseCheckpoint()
      case ..<45: crashed.damageRecord(&random)
      default: break
      }
      do {
        pointCount += try crashed.check(configuration, &random)
      } catch {
        throw BrokenPromise("seed \(seed), call \(call), \(crashed.damage): \(error)")
      }
    }
    let last = next + (journal.count - next) * Int.random(in: 0...4, using: &random) / 4
    for event in journal[next..<last] { image.apply(event) }
    return CrashedStore(life, before: image, during: last, random.pick(Survival.allCases), &random)
  }
}

/// Numbers of files, which a seed repeats and which never repeat themselves.
private final class FileNumbers: Sendable {
  private let random: Mutex<SeededGenerator>

  init(seed: UInt64) { random = Mutex(SeededGenerator(seed: ~seed)) }

  func next() -> UInt64 { random.withLock { $0.next() } }
}
