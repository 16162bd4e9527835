import Glibc

/// An open directory: names and the files behind them.
///
/// Names are single path components of at most 255 bytes. Created, renamed and unlinked names
/// survive a power cut only after ``sync()``. Symbolic links are never followed.
package protocol Directory: AnyObject, Sendable {
  /// Where the directory is, for error texts.
  var path: String { get }

  /// Creates a file that must not exist (`EEXIST`), mode 0600.
  func createFile(_ name: String) throws(IOError) -> any File

  /// Opens an existing file (`ENOENT`) for reading and writing.
  func openFile(_ name: String) throws(IOError) -> any File

  /// Creates a directory that must not exist (`EEXIST`), mode 0700.
  func createDirectory(_ name: String) throws(IOError) -> any Directory

  /// Opens an existing directory (`ENOENT`).
  func openDirectory(_ name: String) throws(IOError) -> any Directory

  /// The names in the directory, without `.` and `..`, in no order.
  func names() throws(IOError) -> [String]

  /// Moves a name within this directory, replacing what is there.
  func rename(_ name: String, to newName: String) throws(IOError)

  /// Removes a file's name. Open files stay readable.
  func unlink(_ name: String) throws(IOError)

  /// Removes an empty directory.
  func removeDirectory(_ name: String) throws(IOError)

  /// Returns when the names survive a power cut (`fsync`).
  func sync() throws(IOError)

  /// Takes the lock file `name`, creating it where it is missing, until the result goes.
  ///
  /// The lock is held against other processes and against other handles of this process.
  func lock(_ name: String) throws(LockFailure) -> any DirectoryLock
}

/// A lock that is held as long as the object lives.
package protocol DirectoryLock: AnyObject, Sendable {
  /// The identity of the lock file, which is never replaced: it tells a copied directory.
  var identity: FileIdentity { get }
}

/// Why a lock was not taken.
package enum LockFailure: Error, Equatable, Sendable {
  /// Another handle holds it; the process id, if it could be read.
  case held(processID: Int32?)

  case io(IOError)
}

extension Directory {
  /// Replaces a small file whole: a reader sees the old or the new bytes, also after a crash.
  ///
  /// Writes `name.new`, syncs it, renames it over `name` and syncs the directory.
  package func replaceFile(_ name: String, with bytes: [UInt8]) throws(IOError) {
    let temporary = name + ".new"
    do throws(IOError) {
      try unlink(temporary)
    } catch {
      guard error.code == ENOENT else { throw error }
    }
    let file = try createFile(temporary)
    try file.write(bytes.span, at: 0)
    try file.sync()
    try rename(temporary, to: name)
    try sync()
  }
}
