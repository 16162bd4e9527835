package import NyaruEngine

/// Envelopes that lie, as frames, in one piece of memory.
///
/// A page of ten thousand records is one allocation, from the socket to the store.
package struct EnvelopeList: Sendable {
  /// What the envelopes lie in: frames that were built here, or a whole message.
  package private(set) var bytes: [UInt8]

  /// Where each envelope lies in the bytes.
  package private(set) var ranges: [Range<Int>]

  /// The bytes are only the frames of these envelopes, and may be sent as they are.
  private let isFramesOnly: Bool

  package init() {
    bytes = []
    ranges = []
    isFramesOnly = true
  }

  /// The envelope frames of a message from the index on; every further frame must be one.
  package init(_ message: Message, from index: Int) throws(FormatError) {
    bytes = message.bytes
    ranges = []
    isFramesOnly = false
    ranges.reserveCapacity(max(0, message.frames.count - index))
    for frame in message.frames.dropFirst(index) {
      guard frame.type == Message.FrameType.envelope else {
        throw .unsupported("frame type \(frame.type)")
      }
      ranges.append(frame.body)
    }
  }

  package var count: Int { ranges.count }
  package var isEmpty: Bool { ranges.isEmpty }

  /// Bytes that the list takes in a message, without what stands around it.
  package var size: Int { isFramesOnly ? bytes.count : ranges.reduce(0) { $0 + $1.count } }

  /// A copy of one envelope.
  package subscript(index: Int) -> [UInt8] { Array(bytes[ranges[index]]) }

  package mutating func append(_ envelope: [UInt8]) {
    precondition(isFramesOnly, "a received list is not added to")
    beginFrame(size: envelope.count)
    bytes.append(contentsOf: envelope)
    ranges.append(bytes.count - envelope.count..<bytes.count)
  }

  package mutating func append(_ other: EnvelopeList) {
    precondition(isFramesOnly, "a received list is not added to")
    guard other.isFramesOnly else {
      for index in other.ranges.indices { append(other[index]) }
      return
    }
    let offset = bytes.count
    bytes.append(contentsOf: other.bytes)
    ranges.reserveCapacity(ranges.count + other.count)
    for range in other.ranges {
      ranges.append(range.lowerBound + offset..<range.upperBound + offset)
    }
  }

  /// Appends an envelope of a size that is known before its bytes are.
  package mutating func append<Failure: Error>(
    size: Int, _ write: (inout [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let start = bytes.count
    beginFrame(size: size)
    let bodyStart = bytes.count
    do throws(Failure) {
      try write(&bytes)
    } catch {
      bytes.removeLast(bytes.count - start)
      throw error
    }
    precondition(bytes.count == bodyStart + size, "an envelope of another size than announced")
    ranges.append(bodyStart..<bytes.count)
  }

  package func encode(into message: inout MessageWriter) {
    if isFramesOnly {
      message.append(frames: bytes, count: count)
    } else {
      for index in ranges.indices { message.frame(Message.FrameType.envelope, self[index]) }
    }
  }

  private mutating func beginFrame(size: Int) {
    bytes.append(Message.FrameType.envelope)
    var rest = UInt64(size)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

extension EnvelopeList: Equatable {
  package static func == (left: EnvelopeList, right: EnvelopeList) -> Bool {
    left.count == right.count
      && zip(left.ranges, right.ranges).allSatisfy { left.bytes[$0] == right.bytes[$1] }
  }
}
