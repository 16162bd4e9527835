import NyaruEngine

/// A shard's header and its file's name throw, or are written back byte for byte.
func fuzzShard(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  if let name = ShardName(text) {
    precondition(name.fileName.utf8.elementsEqual(text.utf8), "a shard with two names")
  }
  _ = try? ShardHeader(bytes.span)
  guard bytes.count >= 60 else { return }
  var whole = ByteWriter()
  whole.write(bytes[..<60])
  whole.write(Checksum.of(bytes.span.extracting(..<60)))
  guard let header = try? ShardHeader(whole.bytes.span) else { return }
  precondition(header.encode() == whole.bytes, "decode and encode disagree")
}
