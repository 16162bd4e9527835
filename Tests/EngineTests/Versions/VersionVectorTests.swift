import NyaruEngine
import TestSupport
import Testing

@Suite struct VersionVectorTests {
  /// Vectors over few authors and few sequences, so that all orders between two of them occur.
  private func vectors(_ seed: UInt64) -> [VersionVector] {
    var random = SeededGenerator(seed: seed)
    return (0..<40).map { _ in
      VersionVector(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          Dot(
            replica: ReplicaID(number: .random(in: 1...4, using: &random)),
            sequence: .random(in: 1...4, using: &random))
        })
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `joining is the least upper bound`(seed: UInt64) {
    let all = vectors(seed)
    for left in all {
      for right in all {
        let joined = left.joined(right)
        #expect(joined == right.joined(left))
        #expect(left.isSubset(of: joined) && right.isSubset(of: joined))
        #expect(left.isSubset(of: right) == (joined == right))
        for dot in joined.dots { #expect(left.covers(dot) || right.covers(dot)) }
        for third in all.prefix(8) {
          #expect(joined.joined(third) == left.joined(right.joined(third)))
        }
      }
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `bytes come back as the same vector`(seed: UInt64) throws {
    for vector in vectors(seed) {
      var writer = ByteWriter()
      vector.encode(into: &writer)
      let bytes = writer.finish()
      var reader = ByteReader(bytes.span)
      #expect(try VersionVector(from: &reader) == vector)
      #expect(reader.remaining == 0)
    }
  }

  @Test func `a vector that is not sorted is refused`() {
    var writer = ByteWriter()
    writer.writeVarint(2)
    for number in [2, 1] as [UInt64] {
      Dot(replica: ReplicaID(number: number), sequence: 1).encode(into: &writer)
    }
    let bytes = writer.finish()
    #expect(throws: FormatError.self) {
      var reader = ByteReader(bytes.span)
      _ = try VersionVector(from: &reader)
    }
  }

  @Test func `replacing an author's sequence may lower it`() {
    let replica = ReplicaID(number: 7)
    var vector = VersionVector(Dot(replica: replica, sequence: 9))
    vector.replace(replica, with: 3)
    #expect(vector[replica] == 3)
    vector.replace(replica, with: 0)
    #expect(vector.isEmpty)
  }
}
