import NyaruEngine
import Testing

@Suite struct ShardChoiceTests {
  private func candidate(
    _ fileID: UInt64, born: UInt64?, replaces: UInt64 = 0, partition: String = "p"
  ) -> ShardChoice.Candidate {
    ShardChoice.Candidate(
      name: ShardName(partition: partition, fileID: fileID),
      header: born.map {
        ShardHeader(
          fileID: fileID, collectionID: TestRecordsID.bytes, born: $0, replaces: replaces)
      })
  }

  @Test func `a checkpoint decides, and what was created since joins`() {
    let files = [
      candidate(2, born: 1), candidate(3, born: 4), candidate(4, born: 5),
      candidate(6, born: nil), candidate(7, born: nil), candidate(8, born: 3),
    ]
    let choice = ShardChoice(files, named: [files[0].name], generation: 5)
    #expect(choice.live.map(\.fileID) == [2, 4, 6])
    #expect(choice.dead.map(\.fileID) == [3, 7, 8])
  }

  @Test func `without a checkpoint the file that joined last is a partition's`() {
    let files = [
      candidate(2, born: 1), candidate(3, born: 4, replaces: 2),
      candidate(5, born: 6, replaces: 3), candidate(8, born: 2, partition: "q"),
    ]
    let choice = ShardChoice(files, limit: 5)
    #expect(choice.live.map(\.fileID) == [3, 8])
    #expect(choice.dead.map(\.fileID) == [2, 5])
  }

  @Test func `a damaged header costs no shard`() {
    let choice = ShardChoice([candidate(2, born: nil), candidate(3, born: nil)], limit: 5)
    #expect(choice.live.map(\.fileID) == [2])
    #expect(ShardChoice([candidate(3, born: nil)], limit: 5).live.map(\.fileID) == [3])
  }
}

/// A collectionID.
private enum TestRecordsID {
  static let bytes = [UInt8](repeating: 1, count: 16)
}
