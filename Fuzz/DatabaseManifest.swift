import NyaruEngine

/// A manifest whose checksum is right throws or is written back byte for byte.
func fuzzDatabaseManifest(_ body: [UInt8]) {
  _ = try? DatabaseManifest(decoding: body)
  let bytes = ManifestFrame.encode(body, magic: "NYDB", format: 1)
  guard let manifest = try? DatabaseManifest(decoding: bytes) else { return }
  if manifest.protection == nil {
    precondition(manifest.encoded(keys: nil) == bytes, "decode and encode disagree")
  }
}
