import NyaruEngine
import NyaruSyncLog

/// A header throws or is written back byte for byte.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  _ = try? EnvelopeHeader(envelope: bytes.span)
  var reader = ByteReader(bytes.span)
  guard let header = try? EnvelopeHeader(from: &reader) else { return 0 }
  var writer = ByteWriter()
  header.encode(into: &writer)
  precondition(
    bytes.prefix(reader.offset).elementsEqual(writer.bytes), "decode and encode disagree")
  return 0
}
