/// Makes the bytes of slots for one shard, on any thread.
struct SlotWriter: Sendable {
  /// A place for a slot.
  struct Slot: Sendable {
    var offset: UInt64

    /// Bytes for the payload.
    var capacity: Int
  }

  /// Neighbouring slots, and the entries of their records by place in the batch.
  struct Part: Sendable {
    var bytes: [UInt8] = []
    var entries: [(index: Int, entry: RecordEntry)] = []
  }

  let codec: PayloadCodec
  let shard: Shard

  /// Slots for some of the records, one behind the other.
  func slots(for records: [RecordWrite], _ share: [Int], from start: UInt64) -> [Slot] {
    var offset = start
    return share.map { index in
      let capacity = SlotHeader.capacity(for: codec.storedSize(of: records[index]))
      defer { offset += UInt64(SlotHeader.size + capacity) }
      return Slot(offset: offset, capacity: capacity)
    }
  }

  /// The slots of a part of the share.
  func encode(
    _ records: [RecordWrite], _ drafts: [Store.Draft], _ share: [Int], _ slots: [Slot],
    _ part: Range<Int>, nonces: [UInt8]
  ) throws(StorageError) -> Part {
    var result = Part()
    guard let first = part.first, let last = part.last else { return result }
    let size = slots[last].end - slots[first].offset
    result.bytes.reserveCapacity(Int(size))
    result.entries.reserveCapacity(part.count)
    let nonceSize = codec.isSealing ? XAES256GCM.nonceSize : 0
    for place in part {
      let index = share[place]
      let entry = try append(
        records[index], drafts[index].stamp, slots[place],
        nonce: nonces.span.extracting(index * nonceSize..<(index + 1) * nonceSize),
        to: &result.bytes)
      result.entries.append((index, entry))
    }
    return result
  }

  /// Appends a slot to the buffer, zeros behind its payload included.
  func append(
    _ record: RecordWrite, _ stamp: SlotStamp, _ slot: Slot, nonce: Span<UInt8>,
    to bytes: inout [UInt8]
  ) throws(StorageError) -> RecordEntry {
    let start = bytes.count
    bytes.append(zeros: SlotHeader.size)
    try codec.store(
      record.prelude, record.bodySection, stamp: stamp, nonce: nonce, into: &bytes)
    let payloadLength = bytes.count - start - SlotHeader.size
    let header = SlotHeader(
      capacity: UInt32(slot.capacity), payloadLength: UInt32(payloadLength), stamp: stamp)
    header.write(into: &bytes, at: start, place: shard.place(slot.offset))
    bytes.append(zeros: slot.capacity - payloadLength)
    return RecordEntry(
      sequence: stamp.sequence, shard: shard.number, offset: slot.offset,
      capacity: header.capacity, payloadLength: payloadLength, flags: stamp.flags.rawValue)
  }
}

extension SlotWriter.Slot {
  fileprivate var end: UInt64 { offset + UInt64(SlotHeader.size + capacity) }
}

extension PayloadCodec {
  /// Bytes that a record's payload takes when it is stored.
  func storedSize(of record: RecordWrite) -> Int {
    record.prelude.count + record.bodySection.count + overhead
  }
}
