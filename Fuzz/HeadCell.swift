import NyaruEngine

private let collectionID = [UInt8](repeating: 3, count: 16)

/// A cell whose checksum is right throws or is written back byte for byte.
func fuzzHeadCell(_ bytes: [UInt8]) {
  _ = try? HeadCell(bytes.span, cell: 0, collectionID: collectionID)
  guard bytes.count >= 60 else { return }
  for cell in HeadCell.offsets.indices {
    var writer = ByteWriter()
    writer.write(collectionID)
    writer.write(HeadCell.offsets[cell])
    writer.write(bytes[..<60])
    let checksum = Checksum.of(writer.bytes.span)
    var whole = ByteWriter()
    whole.write(bytes[..<60])
    whole.write(checksum)
    let head = try? HeadCell(whole.bytes.span, cell: cell, collectionID: collectionID)
    guard let head else { continue }
    let encoded = head.encode(cell: cell, collectionID: collectionID)
    precondition(encoded == whole.bytes, "decode and encode disagree")
    let other = try? HeadCell(whole.bytes.span, cell: 1 - cell, collectionID: collectionID)
    precondition(other == nil, "a cell that reads in the other's place")
  }
}
