import NyaruEngine
import TestSupport
import Testing

@Suite struct SlotHeaderTests {
  private static let place = SlotPlace(fileID: 0x1122_3344_5566_7788, offset: 128)
  private static let payload: [UInt8] = Array(1...40)

  private static func slot(_ flags: UInt8 = 0x10) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: SlotHeader.size) + payload
    let stamp = SlotStamp(
      sequence: 77, batchIndex: 1, batchCount: 3, flags: SlotFlags(rawValue: flags))
    SlotHeader(capacity: 64, payloadLength: 40, stamp: stamp)
      .write(into: &bytes, at: 0, place: place)
    return bytes
  }

  private func reads(_ bytes: [UInt8], at place: SlotPlace = Self.place) -> Bool {
    guard let header = SlotHeader(bytes.span, at: place) else { return false }
    let payload = bytes.dropFirst(SlotHeader.size).prefix(Int(header.payloadLength))
    return header.isIntact(Array(payload).span, at: place)
  }

  @Test func `what is written comes back`() throws {
    let slot = Self.slot()
    let read = SlotHeader(slot.span, at: Self.place)
    let header = try #require(read)
    #expect(header.capacity == 64 && header.payloadLength == 40)
    #expect(header.stamp.sequence == 77)
    #expect(header.stamp.batchIndex == 1 && header.stamp.batchCount == 3)
    #expect(header.stamp.flags.isDeletion && !header.stamp.flags.isSealed)
    #expect(reads(Self.slot()))
  }

  @Test func `every flipped bit is found, but for the retired one`() {
    let retiredBit = SlotHeader.flagsOffset * 8
    for bit in 0..<Self.slot().count * 8 {
      #expect(reads(Mutation.flip(bit, in: Self.slot())) == (bit == retiredBit), "bit \(bit)")
    }
  }

  @Test func `a slot that is cut off does not read`() {
    for bytes in Mutation.truncations(of: Self.slot()) { #expect(!reads(bytes)) }
  }

  @Test func `a slot reads in its place only`() {
    var place = Self.place
    place.offset += 32
    #expect(!reads(Self.slot(), at: place))
    place = Self.place
    place.fileID += 1
    #expect(!reads(Self.slot(), at: place))
  }

  @Test func `random bytes are no header`() {
    var random = SeededGenerator(seed: 1)
    var found = 0
    for _ in 0..<20_000 {
      let bytes = (0..<SlotHeader.size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if SlotHeader(bytes.span, at: Self.place) != nil { found += 1 }
    }
    #expect(found == 0)
  }
}
