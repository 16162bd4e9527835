/// How the bodies of a collection are compressed.
public enum CompressionMethod: UInt8, Sendable, CaseIterable {
  /// Bodies are stored as they are encoded.
  case none = 0

  /// Bodies are stored as raw deflate data (RFC 1951), where that is smaller.
  ///
  /// It is what gzip holds, without gzip's own header and checksum: each record has its own.
  case gzip = 1
}
