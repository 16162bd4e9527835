import Glibc
import NyaruEngine
import TestSupport
import Testing

/// The loops around system calls, with calls that do what a script says.
@Suite struct SystemCallTests {
  /// What a call does: moves that many bytes, or fails.
  private enum Outcome {
    case moves(Int)
    case fails(CInt)
  }

  private func transfer(_ count: Int, _ script: [Outcome]) throws -> (Int, offsets: [Int]) {
    var next = 0
    var offsets: [Int] = []
    let moved = try SystemCall.transferring(count, "pwrite", "file") { done in
      offsets.append(done)
      defer { next += 1 }
      switch script[next] {
      case .moves(let count): return count
      case .fails(let code):
        errno = code
        return -1
      }
    }
    return (moved, offsets)
  }

  @Test func `a signal is of no consequence`() throws {
    let (moved, offsets) = try transfer(
      10, [.fails(EINTR), .fails(EINTR), .moves(4), .fails(EINTR), .moves(6)])
    #expect(moved == 10)
    #expect(offsets == [0, 0, 0, 4, 4])
  }

  @Test func `a call that does a part is followed by one that does the rest`() throws {
    let (moved, offsets) = try transfer(10, [.moves(1), .moves(8), .moves(1)])
    #expect(moved == 10)
    #expect(offsets == [0, 1, 9])
  }

  @Test func `a call that does nothing is the end`() throws {
    #expect(try transfer(10, [.moves(3), .moves(0)]).0 == 3)
    #expect(try transfer(0, []).0 == 0)
  }

  @Test(arguments: [EIO, ENOSPC, EFBIG, EMFILE])
  func `an error is reported, also after a part was done`(code: CInt) {
    #expect(throws: IOError("pwrite", path: "file", code: code)) {
      try transfer(10, [.fails(code)])
    }
    #expect(throws: IOError("pwrite", path: "file", code: code)) {
      try transfer(10, [.moves(5), .fails(EINTR), .fails(code)])
    }
  }

  @Test func `what a limit cuts short is reported, and the part before it is there`() async throws {
    let temporary = try TemporaryDirectory()
    let path = temporary.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      _ = signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let directory = try DiskDirectory.open(path: path, createIfMissing: false)
      let file = try directory.createFile("file")
      let bytes = [UInt8](repeating: 7, count: 300)
      try file.write(bytes.span, at: 0)
      #expect(throws: IOError("pwrite", path: file.path, code: EFBIG)) {
        try file.write(bytes.span, at: 900)
      }
      #expect(try file.size() == 1000)
      #expect(try file.read(500, at: 900) == [UInt8](repeating: 7, count: 100))
    }
  }
}
