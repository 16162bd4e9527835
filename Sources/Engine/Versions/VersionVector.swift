/// Every write ever seen of one record: per author, the highest sequence.
///
/// Dots are sorted by author, each author once, no sequence 0.
package struct VersionVector: Hashable, Sendable {
  package private(set) var dots: [Dot]

  package init() { dots = [] }

  package init(_ dot: Dot) { dots = [dot] }

  package init(_ dots: some Sequence<Dot>) {
    self.init()
    for dot in dots { insert(dot) }
  }

  package var isEmpty: Bool { dots.isEmpty }

  /// The highest sequence seen of the author, 0 if there is none.
  package subscript(replica: ReplicaID) -> UInt64 {
    let index = position(of: replica)
    return index < dots.count && dots[index].replica == replica ? dots[index].sequence : 0
  }

  package func covers(_ dot: Dot) -> Bool { self[dot.replica] >= dot.sequence }

  /// Adds a write; what is covered already changes nothing.
  package mutating func insert(_ dot: Dot) {
    let index = position(of: dot.replica)
    if index < dots.count, dots[index].replica == dot.replica {
      dots[index].sequence = max(dots[index].sequence, dot.sequence)
    } else if dot.sequence > 0 {
      dots.insert(dot, at: index)
    }
  }

  /// Sets what is known of an author, also to less than before; 0 removes the author.
  package mutating func replace(_ replica: ReplicaID, with sequence: UInt64) {
    dots.removeAll { $0.replica == replica }
    insert(Dot(replica: replica, sequence: sequence))
  }

  /// Whether everything that this vector covers is covered by the other one, too.
  package func isSubset(of other: VersionVector) -> Bool {
    if dots.count > other.dots.count { return false }
    return dots.allSatisfy { other.covers($0) }
  }

  /// The union: per author, the larger sequence.
  package func joined(_ other: VersionVector) -> VersionVector {
    if other.isSubset(of: self) { return self }
    var result = self
    for dot in other.dots { result.insert(dot) }
    return result
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    let count = try reader.readVarint()
    guard count <= UInt64(VersionLimits.authorCount), count <= UInt64(reader.remaining / 9) else {
      throw .lengthOutOfRange(count)
    }
    dots = []
    dots.reserveCapacity(Int(count))
    for _ in 0..<count {
      let dot = try Dot(from: &reader)
      if let last = dots.last, last.replica >= dot.replica {
        throw .invalid("a vector that is not sorted by author")
      }
      dots.append(dot)
    }
  }

  package func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(dots.count))
    for dot in dots { dot.encode(into: &writer) }
  }

  /// The index of the first dot whose author is not before the given one.
  private func position(of replica: ReplicaID) -> Int {
    var low = 0
    var high = dots.count
    while low < high {
      let middle = (low + high) / 2
      if dots[middle].replica < replica { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
