package import NyaruEngine

/// One request or answer body: a magic number, frames, and an end that vouches for all of them.
///
///     message := "NYS1", frame…, end
///     frame   := type u8, length varint, body u8[length]
///     end     := type 0, length, frame count varint, SHA-256 of all bytes before the end frame
///
/// A frame whose type is unknown and has its high bit set is skipped; any other unknown type is an
/// error. Without its end, or with bytes behind it, a message counts as nothing.
package struct Message: Sendable {
  /// The types of frames.
  package enum FrameType {
    package static let end: UInt8 = 0x00
    package static let sessionRequest: UInt8 = 0x01
    package static let claim: UInt8 = 0x02
    package static let sessionAnswer: UInt8 = 0x03
    package static let status: UInt8 = 0x04
    package static let pullRequest: UInt8 = 0x10
    package static let pageEnd: UInt8 = 0x11
    package static let pushRequest: UInt8 = 0x20
    package static let pushAnswer: UInt8 = 0x21
    package static let fetchRequest: UInt8 = 0x30
    package static let fetchAnswer: UInt8 = 0x31
    package static let envelope: UInt8 = 0x40
  }

  /// A frame as it lies in the message.
  package struct Frame: Equatable, Sendable {
    package var type: UInt8
    package var body: Range<Int>
  }

  static let magic: [UInt8] = Array("NYS1".utf8)

  package let bytes: [UInt8]

  /// The frames between magic number and end, without those that were skipped.
  package private(set) var frames: [Frame] = []

  package init(_ bytes: [UInt8]) throws(FormatError) {
    self.bytes = bytes
    var reader = ByteReader(bytes.span)
    guard try reader.readBytes(4) == Self.magic else { throw .invalid("not a NYS1 message") }
    var count = 0
    while true {
      let start = reader.offset
      let type = try reader.readUInt8()
      let length = try reader.readLength()
      if type == FrameType.end {
        try Self.readEnd(&reader, length: length, count: count, before: bytes.span, end: start)
        return
      }
      count += 1
      guard count <= ProtocolLimits.frameCount else { throw .lengthOutOfRange(UInt64(count)) }
      if type < 0x80 {
        frames.append(Frame(type: type, body: reader.offset..<reader.offset + length))
      }
      try reader.skip(length)
    }
  }

  /// The frame at the index, if it is of the type.
  package func body(_ index: Int, type: UInt8) throws(FormatError) -> Range<Int> {
    guard index < frames.count else { throw .truncated }
    guard frames[index].type == type else {
      throw .unsupported("frame type \(frames[index].type)")
    }
    return frames[index].body
  }

  private static func readEnd(
    _ reader: inout ByteReader, length: Int, count: Int, before bytes: Span<UInt8>, end: Int
  ) throws(FormatError) {
    let bodyEnd = reader.offset + length
    guard try reader.readVarint() == UInt64(count) else { throw .invalid("a wrong frame count") }
    let digest = try reader.readBytes(SHA256.size)
    guard reader.offset == bodyEnd, reader.remaining == 0 else {
      throw .invalid("bytes behind the end")
    }
    guard SHA256.hash(bytes.extracting(0..<end)) == digest else { throw .checksumMismatch }
  }
}

/// Writes a ``Message``.
package struct MessageWriter: Sendable {
  private var writer: ByteWriter
  private var count = 0

  package init(capacity: Int = 256) {
    writer = ByteWriter(capacity: capacity)
    writer.write(Message.magic)
  }

  package mutating func frame(_ type: UInt8, _ body: (inout ByteWriter) -> Void) {
    var content = ByteWriter(capacity: 128)
    body(&content)
    frame(type, content.bytes)
  }

  package mutating func frame(_ type: UInt8, _ body: [UInt8]) {
    writer.write(type)
    writer.writeLengthPrefixed(body)
    count += 1
  }

  /// Appends frames that lie ready, one behind the other.
  package mutating func append(frames: [UInt8], count: Int) {
    writer.write(frames)
    self.count += count
  }

  /// Appends the end, and takes the bytes out.
  package mutating func finish() -> [UInt8] {
    let digest = SHA256.hash(writer.bytes.span)
    var end = ByteWriter(capacity: 48)
    end.writeVarint(UInt64(count))
    end.write(digest)
    writer.write(Message.FrameType.end)
    writer.writeLengthPrefixed(end.bytes)
    return writer.finish()
  }
}
