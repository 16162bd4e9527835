import Glibc
import Testing

/// A named pipe with the test at one end and a command at the other.
final class NamedPipe {
  private let descriptor: CInt

  /// Makes the pipe and opens it, without waiting for the other end.
  init(_ path: String, forReading: Bool) throws {
    try #require(unsafe mkfifo(path, 0o600) == 0)
    // A reader that does not block would see an end where there is only no writer yet, so reading
    // begins after the command was started. A writer holds both ends.
    descriptor = unsafe open(path, (forReading ? O_RDONLY | O_NONBLOCK : O_RDWR) | O_CLOEXEC)
    try #require(descriptor >= 0)
  }

  deinit { close(descriptor) }

  /// Writes all lines; waits while the pipe is full.
  func write(_ lines: [String]) throws {
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    var offset = 0
    while offset < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset...])
        return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count < 0, errno == EINTR { continue }
      try #require(count > 0)
      offset += count
    }
  }

  /// The first line that the command prints, or nil if it ends before.
  func readLine() throws -> String? {
    var line: [UInt8] = []
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&entry, 1, -1) < 0, errno == EINTR { continue }
      var byte: UInt8 = 0
      let count = unsafe read(descriptor, &byte, 1)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
  }
}
