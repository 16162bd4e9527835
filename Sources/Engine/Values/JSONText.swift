/// JSON text to MessagePack and back, without loss.
package enum JSONText {
  /// The MessagePack of a JSON text, which is one value of any kind.
  package static func messagePack(from text: Span<UInt8>) throws(JSONError) -> [UInt8] {
    throw JSONError(offset: 0, reason: "thin")
  }

  /// The JSON text, in one line, of a MessagePack value.
  package static func write(messagePack body: Span<UInt8>) throws(FormatError) -> [UInt8] {
    throw .unsupported("thin")
  }
}
