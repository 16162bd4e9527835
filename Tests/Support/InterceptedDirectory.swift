package import NyaruEngine

/// A directory that runs a closure before it is locked: what another process did just then.
package final class InterceptedDirectory: Directory {
  private let base: any Directory
  private let beforeLock: @Sendable () -> Void

  package init(_ base: any Directory, beforeLock: @escaping @Sendable () -> Void) {
    self.base = base
    self.beforeLock = beforeLock
  }

  package var path: String { base.path }

  package func lock(_ name: String) throws(LockFailure) -> any DirectoryLock {
    beforeLock()
    return try base.lock(name)
  }

  package func createFile(_ name: String) throws(IOError) -> any File {
    try base.createFile(name)
  }

  package func openFile(_ name: String) throws(IOError) -> any File { try base.openFile(name) }

  package func createDirectory(_ name: String) throws(IOError) -> any Directory {
    try base.createDirectory(name)
  }

  package func openDirectory(_ name: String) throws(IOError) -> any Directory {
    try base.openDirectory(name)
  }

  package func names() throws(IOError) -> [String] { try base.names() }

  package func rename(_ name: String, to newName: String) throws(IOError) {
    try base.rename(name, to: newName)
  }

  package func unlink(_ name: String) throws(IOError) { try base.unlink(name) }

  package func removeDirectory(_ name: String) throws(IOError) { try base.removeDirectory(name) }

  package func sync() throws(IOError) { try base.sync() }
}
