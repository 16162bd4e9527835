/// JSON text to MessagePack and back, without loss.
///
/// Integers of 64 bits stay integers, other numbers are doubles; `-0` is the double -0.0. Values
/// that JSON has no word for are written as objects of one key, see ``JSONEscape``.
package enum JSONText {
  /// The MessagePack of a JSON text, which is one value of any kind.
  package static func messagePack(from text: Span<UInt8>) throws(JSONError) -> [UInt8] {
    var writer = MessagePackWriter(capacity: text.count)
    var parser = JSONParser(text)
    try parser.parseText(into: &writer)
    return writer.bytes()
  }

  /// The value that starts at an offset of a text, and where it ends.
  package static func value(
    in text: Span<UInt8>, at offset: Int
  ) throws(JSONError) -> (value: DocumentValue, end: Int) {
    var writer = MessagePackWriter()
    var parser = JSONParser(text, at: offset)
    try parser.parseValue(into: &writer)
    var reader = MessagePackReader(writer.span)
    do throws(FormatError) { return (try reader.readValue(), parser.offset) } catch {
      throw JSONError(offset: offset, reason: "a value that does not read: \(error)")
    }
  }

  /// The JSON text, in one line, of a MessagePack value.
  package static func write(messagePack body: Span<UInt8>) throws(FormatError) -> [UInt8] {
    var writer = JSONWriter(capacity: body.count * 3 / 2)
    var reader = MessagePackReader(body)
    try writer.writeDocument(&reader)
    guard reader.remaining == 0 else { throw .invalid("bytes behind a value") }
    return writer.bytes()
  }
}
