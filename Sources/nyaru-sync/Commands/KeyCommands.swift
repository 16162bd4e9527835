import NyaruEngine

/// `key` and `token`.
extension CommandRunner {
  func newKey(output: StreamName) throws {
    try KeyFile.write(KeyText.encode(.random(), as: .key), to: output)
    if case .file(let path) = output {
      console.note("wrote a new key to \(path); without it, what it encrypts is lost")
    }
  }
}
