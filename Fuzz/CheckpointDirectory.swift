import NyaruEngine

/// A checkpoint's directory throws or is written back byte for byte.
func fuzzCheckpointDirectory(_ bytes: [UInt8]) {
  guard let directory = try? CheckpointDirectory(bytes.span) else { return }
  precondition(directory.encode() == bytes, "decode and encode disagree")
}
