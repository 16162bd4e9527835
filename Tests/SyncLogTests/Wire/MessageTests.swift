import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

@Suite struct MessageTests {
  private let id = Identity(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)

  private func envelopes(_ count: Int) -> EnvelopeList {
    var list = EnvelopeList()
    for index in 0..<count { list.append([UInt8](repeating: UInt8(index), count: index * 50)) }
    return list
  }

  @Test func `session messages come back`() throws {
    let claim = SessionRequest.Claim(
      collection: id, epoch: .random(), pulledThrough: 300, chain: .random(), pushedThrough: 7,
      knownTickets: [1, .max])
    let request = SessionRequest(
      replica: ReplicaID(number: 5), ticket: .random(), isOnlyAsking: true,
      claims: [claim, .init(collection: .random())])
    #expect(try SessionRequest(decoding: request.encoded()) == request)

    let status = SessionAnswer.Status(
      collection: id, epoch: .random(), head: 9, chain: .random(), isChainValid: true,
      isTicketRefused: true, commonTicket: 77, pushedThrough: 3, count: 4, root: .random())
    var other = status
    (other.commonTicket, other.isTicketRefused, other.isChainValid) = (nil, false, false)
    let answer = SessionAnswer(endpoint: .random(), time: 1, collections: [status, other])
    #expect(try SessionAnswer(decoding: answer.encoded()) == answer)
  }

  @Test func `an answer that allows nothing at once is refused`() {
    for limits in [
      SessionAnswer.Limits(pageCount: 0), .init(pageSize: 0), .init(bodySize: 0),
    ] {
      let bytes = SessionAnswer(endpoint: id, time: 1, limits: limits, collections: []).encoded()
      #expect(throws: FormatError.self) { try SessionAnswer(decoding: bytes) }
    }
  }

  @Test func `transfer messages come back`() throws {
    let pull = PullRequest(
      collection: id, epoch: .random(), since: 5, chain: .random(), countLimit: 1, sizeLimit: 2,
      markersAfter: 3)
    #expect(try PullRequest(decoding: pull.encoded()) == pull)
    let page = PullPage(envelopes: envelopes(5), through: 8, chain: id, hasMore: true)
    #expect(try PullPage(decoding: page.encoded()) == page)
    let push = PushRequest(
      collection: id, epoch: .random(), replica: ReplicaID(number: 3), ticket: .random(),
      pushedThrough: 99, envelopes: envelopes(7))
    #expect(try PushRequest(decoding: push.encoded()) == push)
    let answer = PushAnswer(
      before: 1, through: 2, chain: id, outcomes: [.stored, .covered, .same, .covered],
      covering: envelopes(2))
    #expect(try PushAnswer(decoding: answer.encoded()) == answer)
    let fetch = FetchRequest(collection: id, records: [id, .random()])
    #expect(try FetchRequest(decoding: fetch.encoded()) == fetch)
    let heads = FetchAnswer(envelopes: envelopes(3))
    #expect(try FetchAnswer(decoding: heads.encoded()) == heads)
  }

  @Test func `a decoded list encodes to the same bytes`() throws {
    let bytes = FetchAnswer(envelopes: envelopes(4)).encoded()
    #expect(try FetchAnswer(decoding: bytes).encoded() == bytes)
  }

  @Test func `a message that is cut anywhere, or changed anywhere, is refused`() {
    let bytes = FetchAnswer(envelopes: envelopes(4)).encoded()
    for end in 0..<bytes.count {
      #expect(throws: FormatError.self) { try Message(Array(bytes[..<end])) }
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x10
      #expect(throws: FormatError.self) { try Message(changed) }
    }
    #expect(throws: FormatError.self) { try Message(bytes + [0]) }
  }

  @Test func `unknown frames are skipped if they say so`() throws {
    var writer = MessageWriter()
    writer.frame(Message.FrameType.fetchAnswer, [])
    writer.frame(0x81, [1, 2, 3])
    writer.frame(Message.FrameType.envelope, [7])
    #expect(try FetchAnswer(decoding: writer.finish()).envelopes[0] == [7])

    var strange = MessageWriter()
    strange.frame(Message.FrameType.fetchAnswer, [])
    strange.frame(0x41, [1])
    let bytes = strange.finish()
    #expect(throws: FormatError.unsupported("frame type 65")) {
      try FetchAnswer(decoding: bytes)
    }
  }

  @Test func `an identity reads from its hexadecimal digits only`() {
    #expect(Identity(hexadecimal: id.description) == id)
    #expect(Identity(id.bytes) == id)
    #expect(Identity(hexadecimal: "0102030405060708090a0b0c0d0e0f1") == nil)
    #expect(Identity(hexadecimal: "+102030405060708090a0b0c0d0e0f10") == nil)
    #expect(Identity(hexadecimal: "0102030405060708-90a0b0c0d0e0f10") == nil)
    #expect(Identity([1, 2, 3]) == nil)
  }
}
