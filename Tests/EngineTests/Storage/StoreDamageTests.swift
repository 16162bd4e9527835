import NyaruEngine
import TestSupport
import Testing

/// Damage stays where it hits: any byte of any file, and any cut.
@Suite struct StoreDamageTests {
  /// A disk with a store on it, and what the records were.
  struct Subject {
    var image: DiskImage
    var records: [Int: [UInt8]] = [:]

    /// All bodies that a record ever had.
    var bodies: [Int: Set<[UInt8]>] = [:]

    /// Thirty records in three shards, some of them written twice, one deleted. Without `closed`
    /// the process is killed, with half of it behind the checkpoint.
    init(closed: Bool) throws {
      let disk = SimulatedDisk()
      let store = try Store.open(
        directory: disk.root, configuration: TestRecords.configuration(bootID: disk.bootID))
      image = disk.image
      for id in 0..<30 { try write(id, UInt8(id), store) }
      try store.checkpoint()
      for id in 10..<20 { try write(id, UInt8(100 + id), store) }
      try store.commit([TestRecords.deletion(5)])
      records[5] = nil
      try store.sync()
      for id in 20..<25 { try write(id, UInt8(100 + id), store) }
      if closed { try store.close() }
      image = disk.image
    }

    private mutating func write(_ id: Int, _ first: UInt8, _ store: Store) throws {
      let body = [first] + Array(repeating: UInt8(id), count: 40)
      try store.commit([TestRecords.write(id, body)])
      records[id] = body
      bodies[id, default: []].insert(body)
    }

    var files: [String] {
      image.names().filter { $0 != "shards" && $0 != "quarantine" }
        + image.names("shards").map { "shards/" + $0 }
    }
  }

  @Test(arguments: [true, false], 0..<4)
  func `a damaged byte costs at most the record that it hits`(closed: Bool, seed: UInt64) throws {
    let subject = try Subject(closed: closed)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let file = random.pick(subject.files)
      let size = subject.image.bytes(file)?.count ?? 0
      let offset = Int.random(in: 0..<max(1, size), using: &random)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      var image = subject.image
      image.damage(file, at: offset) { $0 ^ bit }
      try examine(image, subject, limit: 1, "\(file) at \(offset), bit \(bit)")
    }
  }

  @Test(arguments: [true, false], 0..<2)
  func `a file that is cut off costs what is cut off`(closed: Bool, seed: UInt64) throws {
    let subject = try Subject(closed: closed)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let file = random.pick(subject.files)
      let size = subject.image.bytes(file)?.count ?? 0
      let length = Int.random(in: 0..<max(1, size), using: &random)
      let disk = SimulatedDisk(subject.image)
      let parts = file.split(separator: "/").map(String.init)
      let directory = try parts.count == 1 ? disk.root : disk.root.openDirectory(parts[0])
      try directory.openFile(parts[parts.count - 1]).truncate(to: UInt64(length))
      try examine(disk.image, subject, limit: .max, "\(file) cut to \(length)")
    }
  }

  @Test(arguments: [true, false])
  func `a missing file costs what was in it`(closed: Bool) throws {
    let subject = try Subject(closed: closed)
    for file in subject.files {
      var image = subject.image
      image.remove(file)
      try examine(image, subject, limit: .max, "without \(file)")
    }
  }

  /// What a reader sees; where a part of the checkpoint does not read, after it was built anew.
  private func contents(of store: Store) throws -> (records: [Int: [UInt8]], damaged: Int) {
    do {
      return try TestRecords.contents(of: store.reader.snapshot())
    } catch StorageError.damaged {
      #expect(try store.rebuild(), "nothing to build")
      return try TestRecords.contents(of: store.reader.snapshot())
    }
  }

  /// Opens, looks at all records, writes, and opens again.
  private func examine(
    _ image: DiskImage, _ subject: Subject, limit: Int, _ what: String
  ) throws {
    let disk = SimulatedDisk(image)
    let configuration = TestRecords.configuration(bootID: disk.bootID)
    let store = try Store.open(directory: disk.root, configuration: configuration)
    let (records, damaged) = try contents(of: store)
    var differences = 0
    for id in 0..<30 where records[id] != subject.records[id] {
      differences += 1
      if let body = records[id] {
        #expect(subject.bodies[id]?.contains(body) ?? false, "\(what): never written")
      }
    }
    #expect(differences <= limit, "\(what): \(differences) records differ")
    if differences > damaged {
      #expect(store.openReport.lostState, "\(what): lost in silence, \(store.openReport)")
    }
    if damaged > 0 { #expect(try !store.check().isSound, "\(what): a check finds nothing") }

    try store.commit([TestRecords.write(100, [1])])
    try store.close()
    let again = try Store.open(directory: disk.root, configuration: configuration)
    #expect(!again.openReport.lostState, "\(what): \(again.openReport)")
    let (second, _) = try TestRecords.contents(of: again.reader.snapshot())
    #expect(second == records.merging([100: [1]]) { $1 }, "\(what): not the same again")
  }
}
