internal import COpenSSL
internal import Synchronization

/// A secret of 32 bytes that is overwritten in memory when the last reference to it goes.
///
/// It has no description and no equality, so that it does not end up in a log or in a comparison
/// whose duration tells where two keys differ.
public struct SecretKey: Sendable {
  /// The size of every key, in bytes.
  public static let size = 32

  private let storage: Storage

  /// Takes over a key that was kept elsewhere, or `nil` if it is not 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.init(bytes.span)
  }

  /// A copy of the bytes, to be kept outside of the process.
  public func exportBytes() -> [UInt8] {
    withBytes { bytes in Array(copying: bytes) }
  }

  /// A key that nobody has seen before.
  package static func random() -> SecretKey {
    var bytes = InlineArray<32, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    RandomBytes.fill(&span)
    defer { wipe(&span) }
    return SecretKey(span.span)
  }

  /// - Precondition: There are 32 bytes.
  package init(_ bytes: Span<UInt8>) {
    precondition(bytes.count == Self.size, "the caller checks the size")
    storage = Storage(bytes)
  }

  /// Lends the bytes to `body`, which must not keep a copy of them.
  package func withBytes<Result: Sendable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.bytes.withLock { (bytes: inout InlineArray<32, UInt8>) throws(Failure) in
      try body(bytes.span)
    }
  }

  /// Overwrites bytes in a way that the optimizer does not remove.
  static func wipe(_ bytes: inout MutableSpan<UInt8>) {
    unsafe bytes.withUnsafeMutableBufferPointer { pointer in
      unsafe OPENSSL_cleanse(pointer.baseAddress, pointer.count)
    }
  }

  /// The one place in the heap where the bytes lie.
  private final class Storage: Sendable {
    /// The lock makes the mutable bytes shareable; they change only when they are wiped.
    let bytes: Mutex<InlineArray<32, UInt8>>

    init(_ source: Span<UInt8>) {
      bytes = Mutex(InlineArray<32, UInt8> { index in source[index] })
    }

    deinit {
      bytes.withLock { bytes in
        var span = bytes.mutableSpan
        SecretKey.wipe(&span)
      }
    }
  }
}

extension Array where Element == UInt8 {
  /// The bytes of a span, in an array of their own.
  package init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Overwrites a secret that is no longer needed.
  package mutating func wipe() {
    var span = mutableSpan
    SecretKey.wipe(&span)
  }
}
