import NyaruEngine

/// A checkpoint's directory throws or is written back byte for byte.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard let directory = try? CheckpointDirectory(bytes.span) else { return 0 }
  precondition(directory.encode() == bytes, "decode and encode disagree")
  return 0
}
