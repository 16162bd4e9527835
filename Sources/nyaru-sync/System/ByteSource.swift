import Glibc

/// Bytes of a file or of standard input, front to back.
final class ByteSource {
  private static let pieceSize = 1 << 20

  /// What error texts call it.
  let name: String

  /// The size of a regular file, for progress.
  let size: Int?

  private let descriptor: CInt

  init(_ stream: StreamName) throws(CommandFailure) {
    switch stream {
    case .standard:
      name = "standard input"
      descriptor = STDIN_FILENO
    case .file(let path):
      name = path
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .cannotOpen(path, errno) }
    }
    var status = stat()
    let isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    size = isFile ? Int(status.st_size) : nil
    if status.st_mode & S_IFMT == S_IFDIR {
      throw CommandFailure(.usage, "\(name) is a directory, not a file")
    }
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// Whether somebody would have to type the input.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The next bytes, or none at the end.
  func read() throws(CommandFailure) -> [UInt8] {
    var failure: CInt = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
      var result: Int
      repeat {
        result = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      } while result < 0 && errno == EINTR
      if result < 0 { failure = errno }
      count = max(0, result)
    }
    if failure != 0 { throw .io("reading \(name)", failure) }
    return bytes
  }

  /// Everything up to the end, which must not be more than `limit` bytes.
  func readAll(limit: Int) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try read()
      if piece.isEmpty { return bytes }
      bytes += piece
      guard bytes.count <= limit else {
        throw CommandFailure(.differences, "\(name) is larger than \(limit) bytes")
      }
    }
  }

  /// Whether users other than the owner may read the file.
  var isReadableByOthers: Bool {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o077 != 0
  }
}
