import NyaruEngine
import NyaruSyncLog

/// A message with a right end throws, or what it says encodes to what says the same.
func fuzzMessages(_ bytes: [UInt8]) {
  _ = try? Message(bytes)
  // Each frame is a type, a size of one byte and a body, so that the fuzzer reaches the bodies.
  var message = MessageWriter()
  var rest = bytes[...]
  while let type = rest.popFirst(), let size = rest.popFirst() {
    message.frame(type == 0 ? 0x40 : type, Array(rest.prefix(Int(size))))
    rest = rest.dropFirst(Int(size))
  }
  let whole = message.finish()
  check(whole, { (bytes) in try? SessionRequest(decoding: bytes) }) { $0.encoded() }
  check(whole, { (bytes) in try? SessionAnswer(decoding: bytes) }) { $0.encoded() }
  check(whole, { (bytes) in try? PullRequest(decoding: bytes) }) { $0.encoded() }
  check(whole, { (bytes) in try? PullPage(decoding: bytes) }) { $0.encoded() }
  check(whole, { (bytes) in try? PushRequest(decoding: bytes) }) { $0.encoded() }
  check(whole, { (bytes) in try? PushAnswer(decoding: bytes) }) { $0.encoded() }
  check(whole, { (bytes) in try? FetchRequest(decoding: bytes) }) { $0.encoded() }
  check(whole, { (bytes) in try? FetchAnswer(decoding: bytes) }) { $0.encoded() }
}

private func check<Value>(
  _ bytes: [UInt8], _ decode: ([UInt8]) -> Value?, _ encode: (Value) -> [UInt8]
) {
  guard let value = decode(bytes) else { return }
  let encoded = encode(value)
  guard let again = decode(encoded) else { preconditionFailure("what was encoded does not read") }
  precondition(encode(again) == encoded, "another message came back")
}
