import NyaruEngine
import NyaruSyncLog

/// Files of the sync directory throw, or encode to what reads the same.
func fuzzSyncFiles(_ bytes: [UInt8]) {
  check(bytes, magic: "NYPC", { try? PeerCheckpoint(decoding: $0) }) { $0.encoded() }
  check(bytes, magic: "NYPR", { try? PendingReidentification(decoding: $0) }) {
    $0.encoded()
  }
}

private func check<Value>(
  _ body: [UInt8], magic: String, _ decode: ([UInt8]) -> Value?, _ encode: (Value) -> [UInt8]
) {
  _ = decode(body)
  guard let value = decode(ManifestFrame.encode(body, magic: magic, format: 1)) else { return }
  let encoded = encode(value)
  guard let again = decode(encoded) else { preconditionFailure("what was encoded does not read") }
  precondition(encode(again) == encoded, "another file came back")
}
