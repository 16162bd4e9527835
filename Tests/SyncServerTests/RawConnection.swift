import Foundation
import NyaruEngine
import Synchronization

/// A TCP connection whose bytes the test writes itself, well-formed or not.
final class RawConnection: Sendable {
  private let descriptor: CInt

  init(port: UInt16) throws {
    // A process that another test starts must not inherit it: it would stay open there.
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let descriptor = descriptor
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      let generic = unsafe UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      return unsafe connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    guard code == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let rest = Array(bytes[sent...])
      let count = unsafe Glibc.send(descriptor, rest, rest.count, CInt(MSG_NOSIGNAL))
      if count <= 0 { return }  // The server has seen enough.
      sent += count
    }
  }

  /// Everything that comes until the text is in it, or until the other side ends.
  func receive(until text: String? = nil) async -> String {
    let result = Box()
    await BlockingCalls.run { [descriptor] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        if let text, result.text.contains(text) { return }
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count <= 0 { return }
        result.append(buffer[..<count])
      }
    }
    return result.text
  }

  /// What was received so far.
  private final class Box: Sendable {
    private let bytes = Mutex([UInt8]())

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    func append(_ more: ArraySlice<UInt8>) { bytes.withLock { $0 += more } }
  }
}
