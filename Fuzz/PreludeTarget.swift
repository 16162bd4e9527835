import NyaruEngine

/// Whatever the bytes are, reading a prelude throws or returns what encodes to the same bytes.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let author = ReplicaID(number: 7)
  var reader = ByteReader(bytes.span)
  guard
    let prelude = try? Prelude(
      from: &reader, sequence: 9, authors: [author], isCompressed: count % 2 == 0)
  else { return 0 }
  _ = try? prelude.state(bodySection: bytes.span)
  return 0
}
