package import NyaruEngine

/// A directory whose mutating calls, and those of all files and directories in it, go through a
/// gate; reading is free.
package final class GatedDirectory: Directory {
  private let base: any Directory
  private let gate: CallGate

  package init(_ base: any Directory, gate: CallGate) {
    self.base = base
    self.gate = gate
  }

  package var path: String { base.path }

  package func createFile(_ name: String) throws(IOError) -> any File {
    gate.pass("create \(name)")
    return GatedFile(try base.createFile(name), gate: gate)
  }

  package func openFile(_ name: String) throws(IOError) -> any File {
    GatedFile(try base.openFile(name), gate: gate)
  }

  package func createDirectory(_ name: String) throws(IOError) -> any Directory {
    gate.pass("create \(name)")
    return GatedDirectory(try base.createDirectory(name), gate: gate)
  }

  package func openDirectory(_ name: String) throws(IOError) -> any Directory {
    GatedDirectory(try base.openDirectory(name), gate: gate)
  }

  package func names() throws(IOError) -> [String] { try base.names() }

  package func rename(_ name: String, to newName: String) throws(IOError) {
    gate.pass("rename \(name)")
    try base.rename(name, to: newName)
  }

  package func unlink(_ name: String) throws(IOError) {
    gate.pass("unlink \(name)")
    try base.unlink(name)
  }

  package func removeDirectory(_ name: String) throws(IOError) {
    gate.pass("remove \(name)")
    try base.removeDirectory(name)
  }

  package func sync() throws(IOError) {
    gate.pass("sync \(path)")
    try base.sync()
  }

  package func lock(_ name: String) throws(LockFailure) -> any DirectoryLock {
    try base.lock(name)
  }
}

/// A file of a ``GatedDirectory``.
private final class GatedFile: File {
  private let base: any File
  private let gate: CallGate

  init(_ base: any File, gate: CallGate) {
    self.base = base
    self.gate = gate
  }

  var path: String { base.path }

  func read(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws(IOError) -> Int {
    try base.read(into: &buffer, at: offset)
  }

  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(IOError) {
    gate.pass("write \(path)")
    try base.write(bytes, at: offset)
  }

  func size() throws(IOError) -> UInt64 { try base.size() }

  func truncate(to size: UInt64) throws(IOError) {
    gate.pass("truncate \(path)")
    try base.truncate(to: size)
  }

  func sync() throws(IOError) {
    gate.pass("sync \(path)")
    try base.sync()
  }

  func identity() throws(IOError) -> FileIdentity { try base.identity() }
}
