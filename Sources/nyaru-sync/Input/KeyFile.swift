import NyaruEngine

/// Files that hold one key or token.
enum KeyFile {
  private static let sizeLimit = 4 << 10

  /// The secret of the kind that the file holds; `-` is standard input.
  static func read(
    _ path: String, as kind: KeyText.Kind, on console: Console
  ) throws(CommandFailure) -> SecretKey {
    let source = try ByteSource(StreamName(path))
    let bytes = try source.readAll(limit: sizeLimit)
    if source.isReadableByOthers {
      console.complain("other users can read \(path); `chmod 600 \(path)` changes that")
    }
    do throws(KeyText.Failure) {
      return try KeyText.decode(String(decoding: bytes, as: UTF8.self), as: kind)
    } catch {
      throw CommandFailure(.authentication, "\(path): \(error.description)")
    }
  }

  /// Writes the text to standard output, or to a new file that only its owner can read.
  static func write(_ text: String, to stream: StreamName) throws(CommandFailure) {
    let sink = try ByteSink(stream, mode: 0o600, replacesExisting: false)
    try sink.write(line: text)
    try sink.finish()
  }
}
