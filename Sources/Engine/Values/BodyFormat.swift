/// How the bytes of a document are encoded.
public enum BodyFormat: UInt8, Sendable, Hashable, Codable, CaseIterable {
  /// MessagePack, the default.
  case messagePack = 0

  /// JSON (RFC 8259).
  case json = 1

  /// MessagePack, under its short name.
  public static let msgpack = BodyFormat.messagePack
}
