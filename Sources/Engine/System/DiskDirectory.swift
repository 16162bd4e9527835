import Glibc

/// A directory of the real disk.
///
/// Everything inside is opened relative to the directory's descriptor, so moving the directory
/// while it is open does no harm, and no symbolic link inside leads out of it.
package final class DiskDirectory: Directory {
  private static let fileFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC
  private static let directoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
  private static let fileMode: mode_t = 0o600
  private static let directoryMode: mode_t = 0o700

  package let path: String
  private let descriptor: Descriptor

  private init(descriptor: Descriptor, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens a directory by its path, which may lead over symbolic links.
  ///
  /// With `createIfMissing` the directory and its missing parents are created, and their names
  /// survive a power cut when the call returns.
  package static func open(path: String, createIfMissing: Bool) throws(IOError) -> DiskDirectory {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw IOError("open", path: path, code: path.isEmpty ? ENOENT : EINVAL)
    }
    do {
      let directory = try openExisting(path)
      // An earlier process may have been killed between creating the name and syncing it.
      if createIfMissing { try syncParent(of: path) }
      return directory
    } catch {
      guard createIfMissing, error.code == ENOENT else { throw error }
      try create(path)
      return try openExisting(path)
    }
  }

  package func createFile(_ name: String) throws(IOError) -> any File {
    try file(name, flags: Self.fileFlags | O_CREAT | O_EXCL)
  }

  package func openFile(_ name: String) throws(IOError) -> any File {
    try file(name, flags: Self.fileFlags)
  }

  package func createDirectory(_ name: String) throws(IOError) -> any Directory {
    try SystemCall.component(name, "mkdirat", in: path)
    _ = try SystemCall.retrying("mkdirat", path(of: name)) {
      unsafe mkdirat(descriptor.number, name, Self.directoryMode)
    }
    return try openDirectory(name)
  }

  package func openDirectory(_ name: String) throws(IOError) -> any Directory {
    try SystemCall.component(name, "openat", in: path)
    let number = try SystemCall.retrying("openat", path(of: name)) {
      unsafe openat(descriptor.number, name, Self.directoryFlags | O_NOFOLLOW)
    }
    return DiskDirectory(descriptor: Descriptor(owning: number), path: path(of: name))
  }

  package func names() throws(IOError) -> [String] {
    // A descriptor of its own, since reading moves the position of the one it reads.
    let number = try SystemCall.retrying("openat", path) {
      unsafe openat(descriptor.number, ".", Self.directoryFlags)
    }
    guard let stream = unsafe fdopendir(number) else {
      let code = errno
      _ = Glibc.close(number)
      throw IOError("fdopendir", path: path, code: code)
    }
    defer { _ = unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      // The kernel ends the name with a zero byte within the entry.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { characters in
          unsafe String(cString: characters)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw IOError("readdir", path: path, code: errno) }
    return names
  }

  package func rename(_ name: String, to newName: String) throws(IOError) {
    try SystemCall.component(name, "renameat", in: path)
    try SystemCall.component(newName, "renameat", in: path)
    _ = try SystemCall.retrying("renameat", path(of: name)) {
      unsafe renameat(descriptor.number, name, descriptor.number, newName)
    }
  }

  package func unlink(_ name: String) throws(IOError) {
    try remove(name, flags: 0)
  }

  package func removeDirectory(_ name: String) throws(IOError) {
    try remove(name, flags: AT_REMOVEDIR)
  }

  package func sync() throws(IOError) {
    _ = try SystemCall.retrying("fsync", path) { fsync(descriptor.number) }
  }

  package func lock(_ name: String) throws(LockFailure) -> any DirectoryLock {
    do throws(IOError) {
      try SystemCall.component(name, "openat", in: path)
      let number = try SystemCall.retrying("openat", path(of: name)) {
        unsafe openat(descriptor.number, name, Self.fileFlags | O_CREAT, Self.fileMode)
      }
      return try DiskLock(descriptor: Descriptor(owning: number), path: path(of: name))
    } catch {
      guard error.operation == "flock", error.code == EWOULDBLOCK else { throw .io(error) }
      throw .held(processID: DiskLock.holder(in: self, name))
    }
  }

  private func path(of name: String) -> String { path + "/" + name }

  private func file(_ name: String, flags: CInt) throws(IOError) -> DiskFile {
    try SystemCall.component(name, "openat", in: path)
    let number = try SystemCall.retrying("openat", path(of: name)) {
      unsafe openat(descriptor.number, name, flags, Self.fileMode)
    }
    return DiskFile(descriptor: Descriptor(owning: number), path: path(of: name))
  }

  private func remove(_ name: String, flags: CInt) throws(IOError) {
    try SystemCall.component(name, "unlinkat", in: path)
    _ = try SystemCall.retrying("unlinkat", path(of: name)) {
      unsafe unlinkat(descriptor.number, name, flags)
    }
  }

  private static func openExisting(_ path: String) throws(IOError) -> DiskDirectory {
    let number = try SystemCall.retrying("open", path) {
      unsafe Glibc.open(path, directoryFlags)
    }
    return DiskDirectory(descriptor: Descriptor(owning: number), path: path)
  }

  /// Makes the directory's own name durable, unless its parent cannot be opened for reading.
  private static func syncParent(of path: String) throws(IOError) {
    let parent: DiskDirectory
    do {
      parent = try openExisting(path + "/..")
    } catch {
      guard error.code == EACCES else { throw error }
      return
    }
    try parent.sync()
  }

  /// Creates the directory, after its parents, and makes each name durable in its parent.
  private static func create(_ path: String) throws(IOError) {
    var prefix = path.hasPrefix("/") ? "/" : "."
    for component in path.split(separator: "/") where component != "." {
      let parent = prefix
      prefix += (prefix.hasSuffix("/") ? "" : "/") + component
      let target = prefix
      do {
        _ = try SystemCall.retrying("mkdir", path) { unsafe mkdir(target, directoryMode) }
        try openExisting(parent).sync()
      } catch {
        guard error.code == EEXIST else { throw error }
      }
    }
  }
}
