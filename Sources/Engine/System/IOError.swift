internal import Glibc

/// A system call that failed, with what it was doing and to which file.
package struct IOError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the system call, such as `fdatasync`.
  package let operation: String

  /// The file or directory, as the caller named it.
  package let path: String

  /// The `errno` of the call, or 0 for a violation that has none.
  package let code: CInt

  package init(_ operation: String, path: String, code: CInt) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// Whether there is no file or directory of that name.
  package var isMissing: Bool { code == ENOENT }

  /// Whether a file or directory of that name is there already.
  package var isExisting: Bool { code == EEXIST }

  /// Whether the call wanted a file and met a directory (`EPERM` where Linux does not tell).
  package var isDirectory: Bool { code == EISDIR || code == EPERM }

  /// Whether the disk, or the owner's share of it, is full.
  package var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT }

  package var description: String {
    "\(operation) \(path): \(ErrorText.message(for: code)) (errno \(code))"
  }
}
