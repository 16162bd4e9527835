import NyaruEngine

/// Bytes are no header of a slot, or are the ones that this header is written as.
func fuzzSlotHeader(_ bytes: [UInt8]) {
  let place = SlotPlace(fileID: 0x0102_0304_0506_0708, offset: 64)
  if let header = SlotHeader(bytes.span, at: place) {
    precondition(Int(header.payloadLength) <= Int(header.capacity), "a payload beyond its slot")
  }
  // Those checks stop nearly all bytes, so a header is also made of them.
  var reader = ByteReader(bytes.span)
  guard let capacity = try? reader.readUInt16(), let sequence = try? reader.readUInt64(),
    let index = try? reader.readUInt32(), let flags = try? reader.readUInt8(),
    let flipped = try? reader.readUInt16(), let payload = try? reader.readBytes(reader.remaining),
    sequence > 0, index < .max
  else { return }
  let stamp = SlotStamp(
    sequence: sequence, batchIndex: index, batchCount: index + 1,
    flags: SlotFlags(rawValue: flags & 0x7F))
  let header = SlotHeader(
    capacity: UInt32(SlotHeader.capacity(for: payload.count)) + UInt32(capacity) * 32,
    payloadLength: UInt32(payload.count), stamp: stamp)
  var slot = [UInt8](repeating: 0, count: SlotHeader.size) + payload
  header.write(into: &slot, at: 0, place: place)
  check(slot, payload, stamp, place)
  checkDamage(slot, bit: Int(flipped) % (slot.count * 8), place)
}

private func check(
  _ slot: [UInt8], _ payload: [UInt8], _ stamp: SlotStamp, _ place: SlotPlace
) {
  guard let read = SlotHeader(slot.span, at: place) else {
    preconditionFailure("a header that was written does not read")
  }
  precondition(read.stamp == stamp && read.isIntact(payload.span, at: place), "another header")
  let elsewhere = SlotPlace(fileID: place.fileID, offset: place.offset + 32)
  precondition(SlotHeader(slot.span, at: elsewhere) == nil, "a header that reads elsewhere")
}

private func checkDamage(_ slot: [UInt8], bit: Int, _ place: SlotPlace) {
  var slot = slot
  slot[bit / 8] ^= 1 << UInt8(bit % 8)
  guard bit != SlotHeader.flagsOffset * 8 else { return }  // Retiring changes this bit only.
  guard let read = SlotHeader(slot.span, at: place) else { return }
  let payload = slot.span.extracting(SlotHeader.size...)
  precondition(!read.isIntact(payload, at: place), "damage that is not found")
}
