import Glibc

/// An exclusive `flock` on a file that holds the process id of its owner.
package final class DiskLock: DirectoryLock {
  /// Bytes that the longest process id takes.
  private static let textSizeLimit = 16

  package let identity: FileIdentity
  private let descriptor: Descriptor

  /// Takes the lock at once, or throws the `EWOULDBLOCK` of `flock`.
  init(descriptor: Descriptor, path: String) throws(IOError) {
    _ = try SystemCall.retrying("flock", path) { flock(descriptor.number, LOCK_EX | LOCK_NB) }
    self.descriptor = descriptor
    let file = DiskFile(descriptor: descriptor, path: path)
    identity = try file.identity()
    let text = Array("\(getpid())\n".utf8)
    do throws(IOError) {
      try file.write(text.span, at: 0)
      if try file.size() > UInt64(text.count) { try file.truncate(to: UInt64(text.count)) }
    } catch {
      // It only serves an error message; on a full disk there is none, and the lock holds.
    }
  }

  deinit {
    // A child process that was forked just now shares the descriptor until it runs its program:
    // closing ours would not end the lock.
    _ = flock(descriptor.number, LOCK_UN)
  }

  /// The process that holds the lock, if the file tells and the process lives.
  static func holder(in directory: DiskDirectory, _ name: String) -> Int32? {
    // The text only serves an error message: whatever goes wrong, there is none.
    guard let file = try? directory.openFile(name),
      let bytes = try? file.read(textSizeLimit, at: 0),
      let processID = Int32(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)),
      processID > 0, kill(processID, 0) == 0 || errno != ESRCH
    else { return nil }
    return processID
  }
}
