import NyaruEngine
import TestSupport
import Testing

@Suite struct HeadCellTests {
  private static let collectionID = [UInt8](repeating: 5, count: 16)

  private static var cell: HeadCell {
    var cell = HeadCell()
    (cell.count, cell.durable, cell.reserved, cell.generation) = (9, 100, 4_200, 3)
    (cell.bootID, cell.markerFloor) = (.max, 40)
    (cell.isClosed, cell.hasRetired) = (true, true)
    return cell
  }

  @Test(arguments: [0, 1])
  func `a cell comes back, in its place only`(number: Int) throws {
    let bytes = Self.cell.encode(cell: number, collectionID: Self.collectionID)
    #expect(bytes.count == HeadCell.size)
    let cell = try HeadCell(bytes.span, cell: number, collectionID: Self.collectionID)
    #expect(cell == Self.cell)
    #expect(throws: FormatError.checksumMismatch) {
      try HeadCell(bytes.span, cell: 1 - number, collectionID: Self.collectionID)
    }
    #expect(throws: FormatError.checksumMismatch) {
      try HeadCell(bytes.span, cell: number, collectionID: [UInt8](repeating: 6, count: 16))
    }
  }

  @Test func `every flipped bit and every cut is found`() {
    let bytes = Self.cell.encode(cell: 0, collectionID: Self.collectionID)
    for mutant in Mutation.flips(of: bytes) + Mutation.truncations(of: bytes) {
      #expect(throws: FormatError.self) {
        try HeadCell(mutant.span, cell: 0, collectionID: Self.collectionID)
      }
    }
  }
}
