import FoundationEssentials
import Glibc

/// Standard output, without a buffer that a killed process would lose.
enum StandardOutput {
  static func write(_ data: Data) throws { try Descriptor.write(data, to: STDOUT_FILENO) }
}

/// Standard error, for what went wrong.
enum StandardError {
  /// Writes a text; there is nowhere to report a failure of this to.
  static func write(_ text: String) { try? Descriptor.write(Data(text.utf8), to: STDERR_FILENO) }
}

/// The calls beneath both.
private enum Descriptor {
  static func write(_ data: Data, to descriptor: Int32) throws {
    var rest = [UInt8](data)[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      guard written > 0 else { throw EngineError("write: \(errno)") }
      rest = rest.dropFirst(written)
    }
  }
}
