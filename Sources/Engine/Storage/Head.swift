/// The file `head` with its two cells.
///
/// A write never goes to the cell that was synced last, so a torn write leaves that one. Whatever
/// an earlier process has left is synced before the first write, because it may lie in a cache.
struct Head {
  /// What opening found in the file.
  struct Contents {
    /// The newer valid cell; `nil` if none is valid.
    var cell: HeadCell?
    var number = 0

    /// Both cells are as they were written, so `cell` is the newest that there was.
    var isSound = false
  }

  /// Unsynced writes after which the file is synced with the next shards.
  private static let unsyncedLimit = 15

  let file: any File
  private let collectionID: [UInt8]
  private(set) var cell: HeadCell
  private var cleanCell: Int
  private var isSynced = false
  private(set) var unsyncedCount = 0

  init(file: any File, collectionID: [UInt8], contents: Contents) {
    self.file = file
    self.collectionID = collectionID
    cell = contents.cell ?? HeadCell()
    cleanCell = contents.cell == nil ? 1 : contents.number
  }

  static func read(_ file: any File, collectionID: [UInt8]) throws(IOError) -> Contents {
    let bytes = try file.read(Int(HeadCell.offsets[1]) + HeadCell.size, at: 0)
    var contents = Contents()
    var states: [Bool] = []
    var isBlank = false
    for (number, offset) in HeadCell.offsets.enumerated() {
      let part = bytes[min(Int(offset), bytes.count)...].prefix(HeadCell.size)
      let cell = try? HeadCell(Array(part).span, cell: number, collectionID: collectionID)
      states.append(cell != nil)
      if cell == nil { isBlank = part.allSatisfy { $0 == 0 } }
      if let cell, cell.count > contents.cell?.count ?? 0 {
        contents.cell = cell
        contents.number = number
      }
    }
    // The other cell is written second, so only beside the first count it may be blank.
    contents.isSound =
      states == [true, true] || (contents.cell?.count == 1 && contents.number == 0 && isBlank)
    return contents
  }

  /// Whether the next sync of the shards should include the head.
  var isDue: Bool { unsyncedCount >= Self.unsyncedLimit }

  /// Writes the changed values, and returns when they are durable if `sync` says so.
  mutating func write(
    sync: Bool, _ change: (inout HeadCell) -> Void
  ) throws(IOError) {
    try settle()
    var next = cell
    change(&next)
    next.count += 1
    let number = 1 - cleanCell
    let bytes = next.encode(cell: number, collectionID: collectionID)
    try file.write(bytes.span, at: HeadCell.offsets[number])
    cell = next
    unsyncedCount += 1
    if sync {
      try file.sync()
      cleanCell = number
      unsyncedCount = 0
    }
  }

  /// Makes durable what an earlier process has left.
  mutating func settle() throws(IOError) {
    guard !isSynced else { return }
    try file.sync()
    isSynced = true
  }

  /// Takes notice that the file was synced when its count was this.
  mutating func noteSync(count: UInt64) {
    guard count == cell.count, unsyncedCount > 0 else { return }
    cleanCell = 1 - cleanCell
    unsyncedCount = 0
  }
}
