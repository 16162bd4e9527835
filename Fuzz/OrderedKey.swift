import NyaruEngine

/// A key throws, or its value has a key that decodes to the same value, in the same order.
func fuzzOrderedKey(_ bytes: [UInt8]) {
  guard let value = try? OrderedKey.decode(bytes) else { return }
  guard let key = try? OrderedKey.key(of: value) else {
    preconditionFailure("a value that was decoded has no key")
  }
  precondition(key == bytes, "a value with two keys")
}
