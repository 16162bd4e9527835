/// An open file, read and written at positions.
///
/// This protocol and ``Directory`` are the only way to the disk. The tests implement them with a
/// simulated disk, so every promise about crashes is checked against the code that ships.
/// Calls are thread-safe and retry `EINTR` themselves. A file closes when the last reference goes.
package protocol File: AnyObject, Sendable {
  /// Where the file is, for error texts.
  var path: String { get }

  /// Fills the buffer from `offset` on and returns the count of bytes read.
  ///
  /// The count is smaller than the buffer only where the file ends.
  func read(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws(IOError) -> Int

  /// Writes all bytes at `offset`, extending the file where necessary.
  ///
  /// When it throws, any part of the bytes may have been written.
  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(IOError)

  /// The size in bytes.
  func size() throws(IOError) -> UInt64

  /// Cuts the file off, or extends it with zero bytes.
  func truncate(to size: UInt64) throws(IOError)

  /// Returns when the contents and the size survive a power cut (`fdatasync`).
  func sync() throws(IOError)

  /// What tells this file from a copy of it.
  func identity() throws(IOError) -> FileIdentity
}

extension File {
  /// Up to `count` bytes from `offset` on; fewer only where the file ends.
  package func read(_ count: Int, at offset: UInt64) throws(IOError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    let filled = try read(into: &span, at: offset)
    if filled < count { bytes.removeLast(count - filled) }
    return bytes
  }
}

/// Inode and birth time: what a copy of a file does not share with it.
package struct FileIdentity: Equatable, Sendable {
  package var inode: UInt64
  package var birthSeconds: Int64
  package var birthNanoseconds: UInt32

  package init(inode: UInt64, birthSeconds: Int64, birthNanoseconds: UInt32) {
    self.inode = inode
    self.birthSeconds = birthSeconds
    self.birthNanoseconds = birthNanoseconds
  }
}
