import Glibc

/// Collects bytes for a file or standard output, and writes them in large pieces.
///
/// A file gets its name when it is complete: under a temporary name until ``finish()``, so that
/// nobody takes half of an export for the whole. A device or pipe is written as it is.
final class ByteSink {
  private static let pieceSize = 256 << 10

  private let path: String?
  private let temporaryPath: String?
  private let descriptor: CInt
  private var pending: [UInt8] = []
  private var isFinished = false

  /// Opens the stream; `mode` is what a file gets, less what the process masks.
  init(
    _ stream: StreamName, mode: mode_t = 0o666, replacesExisting: Bool = true
  ) throws(CommandFailure) {
    guard case .file(let path) = stream else {
      self.path = nil
      temporaryPath = nil
      descriptor = STDOUT_FILENO
      return
    }
    var status = stat()
    let exists = unsafe stat(path, &status) == 0
    let isSpecial = exists && status.st_mode & S_IFMT != S_IFREG
    if exists, !isSpecial, !replacesExisting { throw .cannotOpen(path, EEXIST) }
    let target = isSpecial ? path : path + ".\(getpid()).new"
    self.path = path
    temporaryPath = isSpecial ? nil : target
    let flags = isSpecial ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL
    descriptor = unsafe open(target, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw .cannotOpen(path, errno) }
  }

  deinit {
    guard let path else { return }
    close(descriptor)
    if !isFinished, let temporaryPath, temporaryPath != path { unsafe unlink(temporaryPath) }
  }

  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    pending += bytes
    if pending.count >= Self.pieceSize { try flush() }
  }

  func write(line: String) throws(CommandFailure) {
    pending += line.utf8
    pending.append(0x0A)
    if pending.count >= Self.pieceSize { try flush() }
  }

  /// Writes what is left, and gives a file its name.
  func finish() throws(CommandFailure) {
    try flush()
    isFinished = true
    guard let path, let temporaryPath else { return }
    guard fsync(descriptor) == 0 else { throw .io("writing \(path)", errno) }
    guard unsafe rename(temporaryPath, path) == 0 else { throw .io("writing \(path)", errno) }
  }

  private func flush() throws(CommandFailure) {
    var offset = 0
    while offset < pending.count {
      let count = unsafe pending.withUnsafeBytes { buffer in
        unsafe Glibc.write(
          descriptor, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .io("writing \(path ?? "standard output")", errno)
      }
      offset += count
    }
    pending.removeAll(keepingCapacity: true)
  }
}
