import Glibc
import NyaruEngine

/// An open directory of a ``SimulatedDisk``.
final class SimulatedDirectory: Directory {
  private static let nameSizeLimit = 255

  let path: String
  private let disk: SimulatedDisk
  private let node: Int

  init(disk: SimulatedDisk, node: Int, path: String) {
    self.disk = disk
    self.node = node
    self.path = path
  }

  func createFile(_ name: String) throws(IOError) -> any File {
    let node = try create(name, "openat", .createFile(directory: node, name: name))
    return SimulatedFile(disk: disk, node: node, path: path(of: name))
  }

  func openFile(_ name: String) throws(IOError) -> any File {
    let (node, isDirectory) = try find(name, "openat")
    guard !isDirectory else { throw error("openat", name, EISDIR) }
    return SimulatedFile(disk: disk, node: node, path: path(of: name))
  }

  func createDirectory(_ name: String) throws(IOError) -> any Directory {
    let node = try create(name, "mkdirat", .createDirectory(directory: node, name: name))
    return SimulatedDirectory(disk: disk, node: node, path: path(of: name))
  }

  func openDirectory(_ name: String) throws(IOError) -> any Directory {
    let (node, isDirectory) = try find(name, "openat")
    guard isDirectory else { throw error("openat", name, ENOTDIR) }
    return SimulatedDirectory(disk: disk, node: node, path: path(of: name))
  }

  func names() throws(IOError) -> [String] {
    try disk.inspect("readdir", path) { state throws(IOError) in
      // In an order that a seed repeats, and that nobody expects.
      (state.image.nodes[node].names ?? [:]).sorted { $0.value > $1.value }.map(\.key)
    }
  }

  func rename(_ name: String, to newName: String) throws(IOError) {
    try disk.mutate("renameat", path(of: name)) { state throws(IOError) in
      try check(name, "renameat")
      try check(newName, "renameat")
      guard state.image.nodes[node].names?[name] != nil else {
        throw error("renameat", name, ENOENT)
      }
      return (.rename(directory: node, from: name, to: newName), ())
    }
  }

  func unlink(_ name: String) throws(IOError) {
    try remove(name, isDirectory: false)
  }

  func removeDirectory(_ name: String) throws(IOError) {
    try remove(name, isDirectory: true)
  }

  func sync() throws(IOError) {
    try disk.mutate("fsync", path) { _ throws(IOError) in (.syncDirectory(node), ()) }
  }

  func lock(_ name: String) throws(LockFailure) -> any DirectoryLock {
    do throws(IOError) {
      let file = try openOrCreate(name)
      let identity = try disk.inspect("flock", path(of: name)) {
        state throws(IOError) -> FileIdentity? in
        guard state.locks.insert(file).inserted else { return nil }
        return state.image.identity(of: file)
      }
      if let identity { return SimulatedLock(disk: disk, node: file, identity: identity) }
    } catch {
      throw .io(error)
    }
    throw .held(processID: getpid())
  }

  private func path(of name: String) -> String { path.isEmpty ? name : path + "/" + name }

  private func error(_ operation: String, _ name: String, _ code: CInt) -> IOError {
    IOError(operation, path: path(of: name), code: code)
  }

  private func check(_ name: String, _ operation: String) throws(IOError) {
    let isName =
      !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == 0 || $0 == 47 }
    guard isName else { throw error(operation, name, EINVAL) }
    guard name.utf8.count <= Self.nameSizeLimit else {
      throw error(operation, name, ENAMETOOLONG)
    }
  }

  private func find(_ name: String, _ operation: String) throws(IOError) -> (Int, Bool) {
    try disk.inspect(operation, path(of: name)) { state throws(IOError) in
      try check(name, operation)
      guard let node = state.image.nodes[node].names?[name] else {
        throw error(operation, name, ENOENT)
      }
      state.counters.opens += 1
      return (node, state.image.nodes[node].names != nil)
    }
  }

  private func openOrCreate(_ name: String) throws(IOError) -> Int {
    do {
      return try find(name, "openat").0
    } catch {
      guard error.code == ENOENT else { throw error }
      return try create(name, "openat", .createFile(directory: node, name: name))
    }
  }

  private func create(
    _ name: String, _ operation: String, _ event: DiskEvent
  ) throws(IOError) -> Int {
    try disk.mutate(operation, path(of: name)) { state throws(IOError) in
      try check(name, operation)
      guard state.image.nodes[node].names?[name] == nil else {
        throw error(operation, name, EEXIST)
      }
      return (event, state.image.nodes.count)
    }
  }

  private func remove(_ name: String, isDirectory: Bool) throws(IOError) {
    try disk.mutate("unlinkat", path(of: name)) { state throws(IOError) in
      try check(name, "unlinkat")
      guard let target = state.image.nodes[node].names?[name] else {
        throw error("unlinkat", name, ENOENT)
      }
      let names = state.image.nodes[target].names
      guard (names != nil) == isDirectory else {
        throw error("unlinkat", name, isDirectory ? ENOTDIR : EISDIR)
      }
      guard names?.isEmpty ?? true else { throw error("unlinkat", name, ENOTEMPTY) }
      return (.unlink(directory: node, name: name), ())
    }
  }
}

/// A lock of a ``SimulatedDisk``, which a crash releases.
final class SimulatedLock: DirectoryLock {
  let identity: FileIdentity
  private let disk: SimulatedDisk
  private let node: Int

  init(disk: SimulatedDisk, node: Int, identity: FileIdentity) {
    self.disk = disk
    self.node = node
    self.identity = identity
  }

  deinit { disk.unlock(node) }
}
