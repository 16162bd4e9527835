import NyaruEngine

private let key = SecretKey([UInt8](repeating: 1, count: 32).span)

/// A manifest whose checksum is right throws or is written back byte for byte.
func fuzzCollectionManifest(_ body: [UInt8]) {
  let bytes = ManifestFrame.encode(body, magic: "NYCM", format: 1)
  for key in [nil, key] {
    _ = try? CollectionManifest(decoding: body, fileName: "users", key: key)
    let manifest = try? CollectionManifest(decoding: bytes, fileName: "users", key: key)
    guard let manifest else { continue }
    precondition(key == nil, "nobody can seal without the key")
    let encoded = try? manifest.encoded(fileName: "users", key: nil)
    precondition(encoded == bytes, "decode and encode disagree")
  }
}
