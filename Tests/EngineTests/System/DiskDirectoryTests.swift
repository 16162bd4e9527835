import FoundationEssentials
import Glibc
import NyaruEngine
import TestSupport
import Testing

@Suite struct DiskDirectoryTests {
  private let temporary: TemporaryDirectory
  private let directory: DiskDirectory

  init() throws {
    temporary = try TemporaryDirectory()
    directory = try DiskDirectory.open(path: temporary.path("a/b"), createIfMissing: true)
  }

  @Test func `a missing directory is an error unless it may be created`() throws {
    let missing = temporary.path("a/c")
    #expect(throws: IOError("open", path: missing, code: 2)) {
      try DiskDirectory.open(path: missing, createIfMissing: false)
    }
    #expect(try DiskDirectory.open(path: missing, createIfMissing: true).names().isEmpty)
  }

  @Test func `names come and go`() throws {
    let names = ["head", "with space", "é", "🐈", String(repeating: "x", count: 255)]
    for name in names { _ = try directory.createFile(name) }
    _ = try directory.createDirectory("inner").createFile("deeper")
    #expect(try Set(directory.names()) == Set(names + ["inner"]))

    try directory.rename("head", to: "é")
    try directory.unlink("🐈")
    try directory.openDirectory("inner").unlink("deeper")
    try directory.removeDirectory("inner")
    try directory.sync()
    #expect(try Set(directory.names()) == ["with space", "é", names[4]])
  }

  @Test func `creating what exists and opening what does not fail`() throws {
    _ = try directory.createFile("file")
    _ = try directory.createDirectory("inner")
    #expect(code { _ = try directory.createFile("file") } == EEXIST)
    #expect(code { _ = try directory.createDirectory("inner") } == EEXIST)
    #expect(code { _ = try directory.openFile("other") } == ENOENT)
    #expect(code { _ = try directory.openDirectory("other") } == ENOENT)
    #expect(code { try directory.unlink("other") } == ENOENT)
    #expect(code { _ = try directory.openDirectory("file") } == ENOTDIR)
    let tooLong = String(repeating: "x", count: 256)
    #expect(code { _ = try directory.createFile(tooLong) } == ENAMETOOLONG)
  }

  @Test(arguments: ["", ".", "..", "a/b", "../a", "/etc/passwd", "a\0b"])
  func `only single components are names`(name: String) {
    #expect(code { _ = try directory.createFile(name) } == EINVAL)
    #expect(code { _ = try directory.openFile(name) } == EINVAL)
    #expect(code { _ = try directory.createDirectory(name) } == EINVAL)
    #expect(code { _ = try directory.openDirectory(name) } == EINVAL)
    #expect(code { try directory.unlink(name) } == EINVAL)
    #expect(code { try directory.rename("file", to: name) } == EINVAL)
    #expect(throws: LockFailure.self) { try directory.lock(name) }
  }

  @Test func `symbolic links are not followed`() throws {
    let outside = temporary.path("outside")
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    try Data("secret".utf8).write(to: URL(filePath: outside + "/file"))
    for (name, target) in [("link", "/file"), ("directory", "")] {
      try FileManager.default.createSymbolicLink(
        atPath: directory.path + "/" + name, withDestinationPath: outside + target)
    }
    #expect(code { _ = try directory.openFile("link") } == ELOOP)
    #expect(code { _ = try directory.openDirectory("directory") } == ENOTDIR)
    #expect(throws: LockFailure.self) { try directory.lock("link") }
  }

  @Test func `nobody else may read or enter`() throws {
    _ = try directory.createFile("file")
    _ = try directory.createDirectory("inner")
    let manager = FileManager.default
    for (name, mode) in [("/file", 0o600), ("/inner", 0o700), ("", 0o700)] {
      let attributes = try manager.attributesOfItem(atPath: directory.path + name)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
  }

  @Test func `an open directory follows its move`() throws {
    try FileManager.default.moveItem(atPath: directory.path, toPath: temporary.path("moved"))
    _ = try directory.createFile("file")
    let moved = try DiskDirectory.open(path: temporary.path("moved"), createIfMissing: false)
    #expect(try moved.names() == ["file"])
  }

  @Test func `a replaced file is whole`() throws {
    try directory.replaceFile("manifest", with: [1, 2, 3])
    _ = try directory.createFile("manifest.new")
    try directory.replaceFile("manifest", with: [4])
    #expect(try directory.names() == ["manifest"])
    #expect(try directory.openFile("manifest").read(9, at: 0) == [4])
  }

  @Test func `a second handle does not get the lock`() throws {
    let lock = try directory.lock("LOCK")
    let other = try DiskDirectory.open(path: directory.path, createIfMissing: false)
    #expect(throws: LockFailure.held(processID: ProcessInfo.processInfo.processIdentifier)) {
      try other.lock("LOCK")
    }
    withExtendedLifetime(lock) {}
  }

  @Test func `the lock goes with its object and keeps its identity`() throws {
    var lock: (any DirectoryLock)? = try directory.lock("LOCK")
    let identity = try #require(lock?.identity)
    lock = nil
    #expect(try directory.lock("LOCK").identity == identity)

    try directory.unlink("LOCK")
    _ = try directory.createFile("other")
    #expect(try directory.lock("LOCK").identity != identity)
  }

  @Test(arguments: ["", "x", "-1", "0", "99999999999999999999", "2147483647"])
  func `a lock file without a living owner names none`(text: String) throws {
    let lock = try directory.lock("LOCK")
    let file = try directory.openFile("LOCK")
    try file.truncate(to: 0)
    try file.write(Array(text.utf8).span, at: 0)
    #expect(throws: LockFailure.held(processID: nil)) { try directory.lock("LOCK") }
    withExtendedLifetime(lock) {}
  }

  @Test func `one boot has one identity`() {
    #expect(BootIdentity.current() == BootIdentity.current())
  }

  @Test func `a lock goes with its handle, also where a child process shares the descriptor`()
    throws
  {
    var lock: (any DirectoryLock)? = try directory.lock("LOCK")
    #expect(lock != nil)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let ours = descriptors.filter { number in
      // Of the other descriptors, some have gone since they were listed.
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/" + number)
      return target == directory.path + "/LOCK"
    }
    let shared = dup(try #require(ours.first.flatMap { CInt($0) }))
    defer { close(shared) }
    lock = nil
    #expect(throws: Never.self) { try directory.lock("LOCK") }
  }

  private func code(_ body: () throws -> Void) -> CInt? {
    do { try body() } catch { return (error as? IOError)?.code }
    return nil
  }
}
