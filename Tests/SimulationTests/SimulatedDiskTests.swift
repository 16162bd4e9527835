import Glibc
import NyaruEngine
import TestSupport
import Testing

/// The disk of the tests has promises of its own: it loses all that a real one may lose.
@Suite struct SimulatedDiskTests {
  private let disk = SimulatedDisk()
  private var root: any Directory { disk.root }

  @Test(arguments: Survival.allCases)
  func `what both syncs vouch for survives every crash`(survival: Survival) throws {
    let file = try root.createDirectory("inner").createFile("file")
    try file.write(pattern(2000).span, at: 0)
    try file.sync()
    try root.openDirectory("inner").sync()
    try root.sync()
    try file.write(pattern(10).span, at: 5000)
    for image in crashes(survival) {
      #expect(image.bytes("inner/file")?.prefix(2000) == pattern(2000)[...])
    }
  }

  @Test func `a kill keeps what was written and the boot id, a power cut neither`() throws {
    _ = try root.createFile("file")
    #expect(crashes(.kill).allSatisfy { $0.names() == ["file"] && $0.bootID == disk.bootID })
    for survival in [Survival.prefix, .subset] {
      let crashes = crashes(survival)
      #expect(crashes.contains { $0.names().isEmpty } && crashes.contains { !$0.names().isEmpty })
      #expect(crashes.allSatisfy { $0.bootID != disk.bootID })
    }
  }

  @Test func `a name without its directory's sync is lost, also with the file's`() throws {
    let file = try root.createFile("file")
    try file.write([1].span, at: 0)
    try file.sync()
    #expect(crashes(.prefix).contains { $0.names().isEmpty })
    #expect(crashes(.prefix).allSatisfy { $0.bytes("file") ?? [1] == [1] })
  }

  @Test func `a rename is seen whole or not at all`() throws {
    for (name, byte) in [("a", UInt8(1)), ("b", 2)] {
      let file = try root.createFile(name)
      try file.write([byte].span, at: 0)
      try file.sync()
    }
    try root.sync()
    try root.rename("a", to: "b")
    var seen: Set<[String]> = []
    for survival in Survival.allCases {
      for image in crashes(survival) {
        seen.insert(image.names().sorted())
        #expect(image.bytes("b") == (image.names().count == 1 ? [1] : [2]))
      }
    }
    #expect(seen == [["b"], ["a", "b"]])
  }

  @Test func `writes survive in order when a prefix does, torn between sectors`() throws {
    let file = try durableFile(size: 0)
    for number in 0..<5 as Range<UInt64> {
      try file.write([UInt8](repeating: 7, count: 1300).span, at: number * 1300)
    }
    var sizes: Set<Int> = []
    for image in crashes(.prefix, count: 300) {
      let bytes = try #require(image.bytes("file"))
      sizes.insert(bytes.count)
      #expect(bytes.allSatisfy { $0 == 7 })
      #expect(bytes.count % 1300 == 0 || bytes.count % 512 == 0)
    }
    #expect(sizes.count > 12)
  }

  @Test func `any sectors survive, also the later without the earlier`() throws {
    let file = try durableFile(size: 2048)
    try file.write([UInt8](repeating: 7, count: 1024).span, at: 512)
    try file.write([9].span, at: 0)
    var seen: Set<[UInt8]> = []
    for image in crashes(.subset, count: 300) {
      let bytes = try #require(image.bytes("file"))
      seen.insert([bytes[0], bytes[512], bytes[1024]])
      #expect(bytes[512..<1024].allSatisfy { $0 == bytes[512] })
    }
    #expect(seen.count == 8)
  }

  @Test func `the size can be on the disk before the bytes`() throws {
    let file = try durableFile(size: 0)
    try file.write([7].span, at: 0)
    let seen = Set(crashes(.subset).map { $0.bytes("file") })
    #expect(seen == [[], [0], [7]])
  }

  @Test func `pages that a failed sync dropped are read until the power goes`() throws {
    let file = try durableFile(size: 0)
    try file.write([7].span, at: 0)
    var lost = 0
    for seed in 0..<40 as Range<UInt64> {
      let disk = SimulatedDisk(disk.image)
      let file = try disk.root.openFile("file")
      disk.setFault(DiskFault(after: 0, code: EIO, seed: seed))
      #expect(throws: IOError("fdatasync", path: "file", code: EIO)) { try file.sync() }
      try file.sync()
      #expect(try file.read(1, at: 0) == [7])
      var random = SeededGenerator(seed: seed)
      #expect(disk.image.crashed(.kill, &random).bytes("file") == [7])
      if disk.image.crashed(.subset, &random).bytes("file") != [7] { lost += 1 }
    }
    #expect(lost > 10 && lost < 40)
  }

  @Test func `a failing write leaves nothing, half or all`() throws {
    var sizes: Set<UInt64> = []
    for seed in 0..<3 as Range<UInt64> {
      let file = try root.createFile("file \(seed)")
      disk.setFault(DiskFault(after: 1, code: ENOSPC, seed: seed))
      try file.write([1].span, at: 0)
      #expect(throws: IOError("pwrite", path: file.path, code: ENOSPC)) {
        try file.write(pattern(100).span, at: 1)
      }
      try file.sync()
      sizes.insert(try file.size())
    }
    #expect(sizes == [1, 51, 101])
  }

  @Test func `nothing works after the crash that was set`() throws {
    let file = try root.createFile("file")
    disk.setCrash(after: 2)
    try file.write([1].span, at: 0)
    try file.sync()
    #expect(throws: IOError.self) { try file.write([2].span, at: 0) }
    #expect(throws: IOError.self) { try file.read(1, at: 0) }
    #expect(throws: IOError.self) { try root.names() }
    #expect(disk.hasCrashed)
  }

  @Test func `the journal leads from the first image to the last`() throws {
    try `what both syncs vouch for survives every crash`(survival: .kill)
    var image = disk.start
    for event in disk.journal { image.apply(event) }
    #expect(image.bytes("inner/file") == disk.image.bytes("inner/file"))
    #expect(image.pendingCount == disk.image.pendingCount)
    #expect(disk.counters.writes == 2 && disk.counters.writeSize == 2010)
    #expect(disk.counters.fileSyncs == 1 && disk.counters.directorySyncs == 2)
  }

  @Test func `behaves like the real disk`() throws {
    let temporary = try TemporaryDirectory()
    let real = try DiskDirectory.open(path: temporary.path, createIfMissing: false)
    let (simulatedLines, realLines) = (try transcript(of: root), try transcript(of: real))
    for (simulated, real) in zip(simulatedLines, realLines) { #expect(simulated == real) }
    #expect(simulatedLines.count == realLines.count)
  }

  @Test func `a lock is held until it goes, and keeps its identity over restarts`() throws {
    let lock = try root.lock("LOCK")
    #expect(throws: LockFailure.held(processID: getpid())) { try root.lock("LOCK") }
    try root.sync()
    var random = SeededGenerator(seed: 1)
    let restarted = SimulatedDisk(disk.image.crashed(.subset, &random))
    _ = try restarted.root.createFile("first")
    #expect(try restarted.root.lock("LOCK").identity == lock.identity)
    #expect(try restarted.root.openFile("first").identity() != lock.identity)
  }

  @Test func `a held sync waits until it is released`() async throws {
    let file = try durableFile(size: 3)
    disk.holdSyncs()
    let disk = disk
    let other = Task.detached {
      try file.sync()
      return disk.callCount
    }
    disk.waitForSyncs()
    try file.write([1].span, at: 0)
    let calls = disk.callCount
    disk.releaseSync()
    #expect(try await other.value > calls)
  }

  private func crashes(_ survival: Survival, count: Int = 60) -> [DiskImage] {
    (0..<count).map { seed in
      var random = SeededGenerator(seed: UInt64(seed))
      return disk.image.crashed(survival, &random)
    }
  }

  private func durableFile(size: Int) throws -> any File {
    let file = try root.createFile("file")
    try file.write([UInt8](repeating: 0, count: size).span, at: 0)
    try file.sync()
    try root.sync()
    return file
  }

  private func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 1) }
  }

  /// What a directory answers to calls that succeed and calls that do not.
  private func transcript(of root: any Directory) throws -> [String] {
    var lines: [String] = []
    func note(_ body: () throws -> Any) {
      do {
        lines.append("\(try body())")
      } catch let error as IOError {
        lines.append("\(error.operation) \(error.code)")
      } catch {
        lines.append("\(error)")
      }
    }
    let file = try root.createFile("file")
    note { try file.read(3, at: 0) }
    note { try file.write([1, 2, 3].span, at: 2) }
    note { try file.read(9, at: 1) }
    note { try file.truncate(to: 3) }
    note { try file.truncate(to: 6) }
    note { try file.read(9, at: 0) }
    note { try file.size() }
    for name in ["file", "", "..", "a/b", "missing", String(repeating: "x", count: 256)] {
      note { _ = try root.createFile(name) }
      note { _ = try root.createDirectory(name) }
      note { try root.unlink(name) }
      note { _ = try root.openFile(name) }
    }
    note { _ = try root.createDirectory("inner").createFile("deeper") }
    note { try root.removeDirectory("inner") }
    note { try root.unlink("inner") }
    note { _ = try root.openDirectory("file") }
    note { _ = try root.createFile("file") }
    note { try root.rename("missing", to: "other") }
    note { try root.rename("file", to: "other") }
    note { try root.names().sorted() }
    note { try file.size() }
    return lines
  }
}
