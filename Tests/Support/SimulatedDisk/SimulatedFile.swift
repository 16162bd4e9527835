import Glibc
import NyaruEngine

/// An open file of a ``SimulatedDisk``.
final class SimulatedFile: File {
  let path: String
  private let disk: SimulatedDisk
  private let node: Int

  init(disk: SimulatedDisk, node: Int, path: String) {
    self.disk = disk
    self.node = node
    self.path = path
  }

  func read(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws(IOError) -> Int {
    let size = buffer.count
    let bytes = try disk.inspect("pread", path) { state throws(IOError) in
      let bytes = state.image.nodes[node].bytes
      let start = Int(min(offset, UInt64(bytes.count)))
      let end = min(bytes.count, start + size)
      state.counters.reads += 1
      state.counters.readSize += end - start
      return bytes[start..<end]
    }
    // The buffer holds at least as many bytes as were asked for.
    unsafe buffer.withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
    }
    return bytes.count
  }

  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(IOError) {
    let copy = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    let start = Int(offset)
    try disk.mutate("pwrite", path) { _ throws(IOError) in
      (.write(file: node, offset: start, bytes: copy), ())
    }
  }

  func size() throws(IOError) -> UInt64 {
    try disk.inspect("fstat", path) { state throws(IOError) in
      UInt64(state.image.nodes[node].bytes.count)
    }
  }

  func truncate(to size: UInt64) throws(IOError) {
    try disk.mutate("ftruncate", path) { _ throws(IOError) in
      (.truncate(file: node, size: Int(size)), ())
    }
  }

  func sync() throws(IOError) {
    disk.waitToSync()
    try disk.mutate("fdatasync", path) { _ throws(IOError) in (.syncFile(node), ()) }
  }

  func identity() throws(IOError) -> FileIdentity {
    try disk.inspect("statx", path) { state throws(IOError) in
      state.image.identity(of: node)
    }
  }
}

extension DiskImage {
  func identity(of node: Int) -> FileIdentity {
    let identity = nodes[node].identity
    return FileIdentity(
      inode: UInt64(identity), birthSeconds: Int64(identity), birthNanoseconds: 0)
  }
}
