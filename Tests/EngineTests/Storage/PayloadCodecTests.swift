import NyaruEngine
import TestSupport
import Testing

@Suite struct PayloadCodecTests {
  private let stamp = SlotStamp(
    sequence: 1,
    flags: SlotFlags(
      compression: .deflateWithDictionary, isDeletion: false, isSealed: false, isGroup: false))
  private let dictionaries = [
    DeflateDictionary(version: 1, bytes: [1]),
    DeflateDictionary(
      version: 2, bytes: Array(#"{"id":"user-","email":"@example.org","country":""#.utf8)),
  ]
  private let body = Array(#"{"id":"user-17","email":"ana@example.org","country":"BR"}"#.utf8)

  private func load(_ stored: [UInt8], _ codec: PayloadCodec) throws -> [UInt8] {
    var payload: [UInt8] = []
    let layout = try codec.load(stored.span, stamp: stamp, into: &payload)
    return Array(payload[layout.bodyOffset...])
  }

  @Test func `a payload that another deflate made with a dictionary reads`() throws {
    let stored = try Fixture.hex("payload-dictionary")
    let codec = PayloadCodec(
      key: nil, collectionID: TestRecords.collectionID, dictionaries: dictionaries)
    #expect(try load(stored, codec) == body)
  }

  @Test func `a dictionary that is missing is named, and one that comes later is found`() throws {
    let stored = try Fixture.hex("payload-dictionary")
    let codec = PayloadCodec(key: nil, collectionID: TestRecords.collectionID)
    for known in [[], [dictionaries[0]]] {
      codec.use(known)
      #expect(throws: FormatError.invalid("the collection has no dictionary 2")) {
        try load(stored, codec)
      }
    }
    codec.use(dictionaries)
    #expect(try load(stored, codec) == body)
  }

  @Test func `no damage of such a payload makes it trap`() throws {
    let stored = try Fixture.hex("payload-dictionary")
    let codec = PayloadCodec(
      key: nil, collectionID: TestRecords.collectionID, dictionaries: dictionaries)
    for bytes in Mutation.flips(of: stored) + Mutation.truncations(of: stored) {
      if let found = try? load(bytes, codec) { #expect(found.count <= 1 << 16) }
    }
  }
}
