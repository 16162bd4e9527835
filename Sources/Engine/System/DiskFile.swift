internal import CSystem
import Glibc

/// A file of the real disk.
package final class DiskFile: File {
  package let path: String
  private let descriptor: Descriptor

  init(descriptor: Descriptor, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  package func read(
    into buffer: inout MutableSpan<UInt8>, at offset: UInt64
  ) throws(IOError) -> Int {
    let count = buffer.count
    let start = try SystemCall.offset(offset, adding: count, "pread", path)
    return try unsafe buffer.withUnsafeMutableBytes { bytes throws(IOError) in
      try SystemCall.transferring(count, "pread", path) { done in
        unsafe pread(
          descriptor.number, bytes.baseAddress.map { unsafe $0 + done }, count - done,
          start + off_t(done))
      }
    }
  }

  package func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(IOError) {
    let count = bytes.count
    let start = try SystemCall.offset(offset, adding: count, "pwrite", path)
    let written = try unsafe bytes.withUnsafeBytes { bytes throws(IOError) in
      try SystemCall.transferring(count, "pwrite", path) { done in
        unsafe pwrite(
          descriptor.number, bytes.baseAddress.map { unsafe $0 + done }, count - done,
          start + off_t(done))
      }
    }
    // A device that takes nothing and reports nothing must not hold the caller for ever.
    guard written == count else { throw IOError("pwrite", path: path, code: EIO) }
  }

  package func size() throws(IOError) -> UInt64 {
    var status = stat()
    _ = try SystemCall.retrying("fstat", path) { unsafe fstat(descriptor.number, &status) }
    return UInt64(clamping: status.st_size)
  }

  package func truncate(to size: UInt64) throws(IOError) {
    let length = try SystemCall.offset(size, "ftruncate", path)
    _ = try SystemCall.retrying("ftruncate", path) { ftruncate(descriptor.number, length) }
  }

  package func sync() throws(IOError) {
    _ = try SystemCall.retrying("fdatasync", path) { fdatasync(descriptor.number) }
  }

  package func identity() throws(IOError) -> FileIdentity {
    try FileIdentity(of: descriptor, path: path)
  }
}

extension FileIdentity {
  /// The identity of an open file; the birth time is zero where the file system keeps none.
  init(of descriptor: Descriptor, path: String) throws(IOError) {
    var status = statx()
    _ = try SystemCall.retrying("statx", path) {
      unsafe csystem_statx(descriptor.number, UInt32(STATX_INO | STATX_BTIME), &status)
    }
    let hasBirth = status.stx_mask & UInt32(STATX_BTIME) != 0
    self.init(
      inode: status.stx_ino,
      birthSeconds: hasBirth ? status.stx_btime.tv_sec : 0,
      birthNanoseconds: hasBirth ? status.stx_btime.tv_nsec : 0)
  }
}
