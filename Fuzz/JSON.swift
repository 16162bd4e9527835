import NyaruEngine

/// A text throws at an offset inside it, or means what its MessagePack says.
func fuzzJSON(_ bytes: [UInt8]) {
  _ = try? FieldReader.value(at: FieldPath("a.b"), in: bytes, format: .json)
  var packed: [UInt8] = []
  do throws(JSONError) {
    packed = try JSONText.messagePack(from: bytes.span)
  } catch {
    precondition((0...bytes.count).contains(error.offset), "an offset outside of the text")
    return
  }
  guard let json = try? JSONText.write(messagePack: packed.span),
    let again = try? JSONText.messagePack(from: json.span)
  else { preconditionFailure("a valid text does not go to MessagePack and back") }
  precondition(again == packed, "another value came back")
}
