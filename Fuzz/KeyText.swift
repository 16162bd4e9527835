import NyaruEngine

/// A text throws or is the one text of its key.
func fuzzKeyText(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  for kind in KeyText.Kind.allCases {
    guard let key = try? KeyText.decode(text, as: kind) else { continue }
    precondition(text.contains(KeyText.encode(key, as: kind)), "a key with two texts")
  }
}
