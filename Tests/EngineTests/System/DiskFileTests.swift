import Glibc
import NyaruEngine
import TestSupport
import Testing

@Suite struct DiskFileTests {
  private let temporary: TemporaryDirectory
  private let directory: DiskDirectory
  private let file: any File

  init() throws {
    temporary = try TemporaryDirectory()
    directory = try DiskDirectory.open(path: temporary.path, createIfMissing: false)
    file = try directory.createFile("file")
  }

  @Test func `what was written is read, also through another handle`() throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try file.write(bytes.span, at: 7)
    try file.sync()
    let other = try directory.openFile("file")
    #expect(try other.size() == 100_007)
    #expect(try other.read(100_000, at: 7) == bytes)
    #expect(try other.read(8, at: 0) == [0, 0, 0, 0, 0, 0, 0, bytes[0]])
  }

  @Test func `reading stops where the file ends`() throws {
    try file.write([1, 2, 3].span, at: 0)
    #expect(try file.read(10, at: 1) == [2, 3])
    #expect(try file.read(10, at: 3).isEmpty)
    #expect(try file.read(10, at: 1 << 40).isEmpty)
    #expect(try file.read(0, at: 0).isEmpty)
  }

  @Test func `truncating cuts off and extends with zeros`() throws {
    try file.write([1, 2, 3].span, at: 0)
    try file.truncate(to: 1)
    try file.truncate(to: 3)
    #expect(try file.read(10, at: 0) == [1, 0, 0])
  }

  @Test func `positions beyond what the system takes are errors`() {
    #expect(throws: IOError("pread", path: file.path, code: EFBIG)) {
      try file.read(1, at: .max)
    }
    #expect(throws: IOError("pwrite", path: file.path, code: EFBIG)) {
      try file.write([1].span, at: UInt64(Int64.max))
    }
    #expect(throws: IOError("ftruncate", path: file.path, code: EFBIG)) {
      try file.truncate(to: 1 << 63)
    }
  }

  @Test func `works on both sides of four gibibytes`() throws {
    let border = UInt64(1) << 32
    try file.write([1, 2, 3, 4].span, at: border - 2)
    #expect(try file.read(4, at: border - 2) == [1, 2, 3, 4])
    #expect(try file.size() == border + 2)
  }

  @Test func `a copy has another identity`() throws {
    #expect(try file.identity() == directory.openFile("file").identity())
    #expect(try file.identity() != directory.createFile("copy").identity())
  }

  @Test func `an unlinked file stays readable`() throws {
    try file.write([1].span, at: 0)
    try directory.unlink("file")
    #expect(try file.read(1, at: 0) == [1])
  }

  @Test func `a failing call names itself and the file`() throws {
    let full = try DiskDirectory.open(path: "/dev", createIfMissing: false).openFile("full")
    #expect(throws: IOError("pwrite", path: "/dev/full", code: ENOSPC)) {
      try full.write([1].span, at: 0)
    }
  }
}
