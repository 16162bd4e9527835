import Glibc

/// A file descriptor that closes when the last reference goes.
final class Descriptor: Sendable {
  let number: CInt

  init(owning number: CInt) { self.number = number }

  deinit {
    // Whoever needs to know whether the bytes arrived has called `fdatasync` before.
    _ = Glibc.close(number)
  }
}

/// System calls that are repeated when a signal interrupts them.
package enum SystemCall {
  /// The result of a call that reports an error with -1.
  package static func retrying<Result: FixedWidthInteger & SignedInteger>(
    _ operation: String, _ path: String, _ call: () -> Result
  ) throws(IOError) -> Result {
    while true {
      let result = call()
      if result != -1 { return result }
      let code = errno
      if code != EINTR { throw IOError(operation, path: path, code: code) }
    }
  }

  /// Repeats a call that moves a part of `count` bytes until all are moved or nothing is left.
  ///
  /// `call` gets how many bytes were moved, and returns how many more, or -1.
  /// - Returns: The count of bytes, smaller than `count` only if a call moved none.
  package static func transferring(
    _ count: Int, _ operation: String, _ path: String, _ call: (Int) -> Int
  ) throws(IOError) -> Int {
    var done = 0
    while done < count {
      let moved = try retrying(operation, path) { call(done) }
      if moved == 0 { break }
      done += moved
    }
    return done
  }

  /// The name, if it is a single component that `openat` resolves inside the directory.
  static func component(_ name: String, _ operation: String, in path: String) throws(IOError) {
    let bytes = name.utf8
    let isComponent =
      !bytes.isEmpty && name != "." && name != ".." && !bytes.contains(UInt8(ascii: "/"))
      && !bytes.contains(0)
    guard isComponent else {
      throw IOError(operation, path: path + "/" + name, code: EINVAL)
    }
  }

  /// An offset as the system calls take it.
  static func offset(
    _ offset: UInt64, adding count: Int = 0, _ operation: String, _ path: String
  ) throws(IOError) -> off_t {
    guard let first = off_t(exactly: offset), first <= off_t.max - off_t(count) else {
      throw IOError(operation, path: path, code: EFBIG)
    }
    return first
  }
}
