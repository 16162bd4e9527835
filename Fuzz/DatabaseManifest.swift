import NyaruEngine

/// A manifest whose checksum is right throws or is written back byte for byte.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let body = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  _ = try? DatabaseManifest(decoding: body)
  let bytes = ManifestFrame.encode(body, magic: "NYDB", format: 1)
  guard let manifest = try? DatabaseManifest(decoding: bytes) else { return 0 }
  if manifest.protection == nil {
    precondition(manifest.encoded(keys: nil) == bytes, "decode and encode disagree")
  }
  return 0
}
