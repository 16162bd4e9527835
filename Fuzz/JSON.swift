import NyaruEngine

/// A text throws at an offset inside it, or means what its MessagePack says.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  _ = try? FieldReader.value(at: FieldPath("a.b"), in: bytes, format: .json)
  var packed: [UInt8] = []
  do throws(JSONError) {
    packed = try JSONText.messagePack(from: bytes.span)
  } catch {
    precondition((0...bytes.count).contains(error.offset), "an offset outside of the text")
    return 0
  }
  guard let json = try? JSONText.write(messagePack: packed.span),
    let again = try? JSONText.messagePack(from: json.span)
  else { preconditionFailure("a valid text does not go to MessagePack and back") }
  precondition(again == packed, "another value came back")
  return 0
}
