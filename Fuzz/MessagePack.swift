import NyaruEngine

/// A document throws, or goes to JSON and back, and its fields are found.
func fuzzMessagePack(_ bytes: [UInt8]) {
  for path in [FieldPath("a"), FieldPath("a.b.0"), FieldPath("")] {
    _ = try? FieldReader.value(at: path, in: bytes, format: .messagePack)
    _ = try? OrderedKey.key(at: path, in: bytes, format: .messagePack)
  }
  var reader = MessagePackReader(bytes.span)
  _ = try? reader.readValue()
  let isDocument: Void? = try? MessagePackReader.validateDocument(bytes.span)
  guard isDocument != nil else {
    _ = try? JSONText.write(messagePack: bytes.span)
    return
  }
  guard let json = try? JSONText.write(messagePack: bytes.span),
    let again = try? JSONText.messagePack(from: json.span),
    let same = try? JSONText.write(messagePack: again.span)
  else { preconditionFailure("a valid document does not go to JSON and back") }
  precondition(same == json, "another document came back")
}
