internal import CMicroHTTPD  // Its headers bring the socket structures into view, too.
internal import Glibc

/// A socket that accepts connections. It closes with its last reference.
package final class ListenSocket: Sendable {
  /// Why an address cannot be used.
  package struct Failure: Error, Equatable {
    package var operation: String
    package var message: String
  }

  static let backlog: CInt = 128

  package let descriptor: CInt

  /// The port that was bound, also where any was asked for.
  package let port: UInt16

  /// Whether only this machine can connect.
  package let isLoopback: Bool

  private init(descriptor: CInt, port: UInt16, isLoopback: Bool) {
    self.descriptor = descriptor
    self.port = port
    self.isLoopback = isLoopback
  }

  /// Takes over a duplicate of the other's descriptor.
  convenience init(owning duplicate: CInt, like other: ListenSocket) {
    self.init(descriptor: duplicate, port: other.port, isLoopback: other.isLoopback)
  }

  deinit { close(descriptor) }

  /// Another descriptor of the same socket, for the caller to close; -1 if there are none left.
  func duplicate() -> CInt { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

  /// Refuses connections from now on; the descriptor stays.
  func refuse() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }

  /// Binds the first address that the host's name stands for and listens on it.
  package static func open(_ address: ListenAddress) throws(Failure) -> ListenSocket {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(address.host, String(address.port), &hints, &list)
    guard code == 0, let first = unsafe list else {
      throw Failure(operation: "getaddrinfo", message: unsafe String(cString: gai_strerror(code)))
    }
    defer { unsafe freeaddrinfo(first) }
    return try unsafe open(first.pointee)
  }

  private static func open(_ address: addrinfo) throws(Failure) -> ListenSocket {
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = unsafe socket(address.ai_family, type, 0)
    guard descriptor >= 0 else { throw failure("socket") }
    do throws(Failure) {
      var on: CInt = 1
      unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
      guard unsafe bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
        throw failure("bind")
      }
      guard listen(descriptor, backlog) == 0 else { throw failure("listen") }
      var bound = sockaddr_storage()
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let code = unsafe withUnsafeMutablePointer(to: &bound) { pointer in
        // Every socket address begins with its family, whatever its type is.
        unsafe getsockname(
          descriptor, UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
          &size)
      }
      guard code == 0 else { throw failure("getsockname") }
      let client = unsafe withUnsafePointer(to: &bound) { pointer in
        unsafe SocketAddress(
          UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self))
      }
      return ListenSocket(
        descriptor: descriptor, port: client.port, isLoopback: client.isLoopback)
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func failure(_ operation: String) -> Failure {
    let message = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? ""
    return Failure(operation: operation, message: message)
  }
}

/// What one end of a connection is called.
struct SocketAddress: Equatable {
  /// The numeric address, without the port.
  var host = "unknown"
  var port: UInt16 = 0
  var isLoopback = false

  /// Reads an address of any family; the pointer must be to one that is complete.
  init(_ address: UnsafePointer<sockaddr>?) {
    guard let address = unsafe address else { return }
    let raw = unsafe UnsafeRawPointer(address)
    switch CInt(unsafe address.pointee.sa_family) {
    case AF_INET:
      var value = unsafe raw.loadUnaligned(as: sockaddr_in.self)
      port = UInt16(bigEndian: value.sin_port)
      isLoopback = UInt32(bigEndian: value.sin_addr.s_addr) >> 24 == 127
      host = unsafe Self.text(AF_INET, &value.sin_addr)
    case AF_INET6:
      var value = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
      port = UInt16(bigEndian: value.sin6_port)
      host = unsafe Self.text(AF_INET6, &value.sin6_addr)
      isLoopback = host == "::1" || host.hasPrefix("::ffff:127.")
    default: break
    }
  }

  private static func text(_ family: CInt, _ address: UnsafeRawPointer) -> String {
    let size = Int(INET6_ADDRSTRLEN)
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
      guard
        let text = unsafe inet_ntop(family, address, buffer.baseAddress, socklen_t(size))
      else { return "unknown" }
      return unsafe String(cString: text)
    }
  }
}
