import NyaruEngine
import NyaruSyncLog

/// A header throws or is written back byte for byte.
func fuzzEnvelope(_ bytes: [UInt8]) {
  _ = try? EnvelopeHeader(envelope: bytes.span)
  var reader = ByteReader(bytes.span)
  guard let header = try? EnvelopeHeader(from: &reader) else { return }
  var writer = ByteWriter()
  header.encode(into: &writer)
  precondition(
    bytes.prefix(reader.offset).elementsEqual(writer.bytes), "decode and encode disagree")
}
