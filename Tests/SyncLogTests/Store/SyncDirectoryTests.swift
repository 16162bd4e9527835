import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

@Suite struct SyncDirectoryTests {
  private let disk = SimulatedDisk()

  private var directory: SyncDirectory { SyncDirectory(disk.root) }

  private var checkpoint: PeerCheckpoint {
    var entry = CollectionCheckpoint(
      collectionID: Identity(high: 5, low: 6), replica: ReplicaID(number: 7))
    entry.epoch = Epoch(high: 8, low: 9)
    entry.chain = ChainValue(high: 10, low: 11)
    entry.pulledThrough = 300
    entry.pushedThrough = 20
    entry.sentThrough = 21
    entry.isReconciling = false
    entry.receivedAfter = 4
    entry.markersAfter = 5
    entry.parked = [12, 400]
    entry.add(Ticket(high: 13, low: 14))
    var checkpoint = PeerCheckpoint(peer: Identity(high: 1, low: 2), address: "https://x/y")
    checkpoint.lastSync = 0x0102_0304
    checkpoint.collections[CollectionTag(high: 3, low: 4)] = entry
    return checkpoint
  }

  @Test func `a checkpoint has the bytes of the format`() throws {
    let bytes = checkpoint.encoded()
    let number = { (value: UInt8) in String(repeating: "00", count: 7) + hex([value]) }
    let identity = { (high: UInt8, low: UInt8) in number(high) + number(low) }
    let body =
      identity(1, 2) + "0b" + hex(Array("https://x/y".utf8)) + "0403020100000000" + "01"
      + identity(3, 4) + identity(5, 6) + number(7) + identity(8, 9) + "ac02" + identity(10, 11)
      + "14" + "15" + "02" + "04" + "05" + "01" + identity(13, 14) + "14" + "02" + "0c" + "9003"
    #expect(hex(Array(bytes.dropFirst(16))) == body)
    #expect(hex(Array(bytes.prefix(8))) == "4e59504301000000")
    #expect(try PeerCheckpoint(decoding: bytes) == checkpoint)
  }

  @Test func `a changed byte anywhere makes a checkpoint unreadable, not wrong`() throws {
    let bytes = checkpoint.encoded()
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 4
      #expect(throws: FormatError.self) { try PeerCheckpoint(decoding: changed) }
    }
  }

  @Test func `peers come back under their numbers, and damaged ones do not`() throws {
    let first = try directory.unusedNumber()
    try directory.save(checkpoint, number: first)
    let second = try directory.unusedNumber()
    #expect(first != second && first > 0 && second > 0)
    try directory.save(PeerCheckpoint(peer: .none, address: ""), number: second)
    #expect(try directory.peers()[first] == checkpoint)
    #expect(try directory.peers().count == 2)
    var image = disk.image
    image.damage("peer.\(second)", at: 20) { $0 ^ 1 }
    #expect(try SyncDirectory(SimulatedDisk(image).root).peers() == [first: checkpoint])
  }

  @Test func `tickets are remembered up to a limit, with what was pushed`() {
    var entry = CollectionCheckpoint(collectionID: .none, replica: ReplicaID(number: 1))
    let tickets = (0..<70).map { _ in Ticket.random() }
    for (number, ticket) in tickets.enumerated() {
      entry.pushedThrough = UInt64(number)
      entry.add(ticket)
    }
    #expect(entry.tickets.map(\.ticket) == tickets.suffix(64))
    #expect(entry.pushedThrough(atTicket: tickets[50].high) == 50)
    #expect(entry.pushedThrough(atTicket: tickets[0].high) == 0)
    #expect(entry.pushedThrough(atTicket: nil) == 0)
  }

  @Test func `a pending change of identity is kept until it is removed`() throws {
    let pending = PendingReidentification(
      old: ReplicaID(number: 3), bounds: [Identity(high: 1, low: 2): 300])
    #expect(try directory.pendingReidentification() == nil)
    try directory.save(pending)
    #expect(try directory.pendingReidentification() == pending)
    #expect(try PendingReidentification(decoding: pending.encoded()) == pending)
    try directory.removePendingReidentification()
    #expect(try directory.pendingReidentification() == nil)
  }

  @Test func `an envelope is kept aside once`() throws {
    for _ in 0..<2 {
      try directory.quarantine([1, 2, 3], peer: 200, collection: .none)
      try directory.syncQuarantine()
    }
    let kept = try directory.quarantined(peer: 200, collection: .none)
    #expect(kept.map(\.envelope) == [[1, 2, 3]])
    #expect(try directory.quarantined(peer: 201, collection: .none).isEmpty)
    try directory.release(kept.map(\.name))
    #expect(try directory.quarantined(peer: 200, collection: .none).isEmpty)
  }

  @Test func `only one sync has the lock`() throws {
    let lock = try directory.lock()
    #expect(throws: LockFailure.self) { try directory.lock() }
    withExtendedLifetime(lock) {}
  }
}

/// Bytes as hexadecimal digits.
private func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
