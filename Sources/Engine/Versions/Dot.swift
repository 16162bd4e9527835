/// One write: its author, and the author's own change sequence of it.
package struct Dot: Hashable, Comparable, Sendable {
  package var replica: ReplicaID
  package var sequence: UInt64

  package init(replica: ReplicaID, sequence: UInt64) {
    self.replica = replica
    self.sequence = sequence
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    replica = try ReplicaID(from: &reader)
    sequence = try reader.readVarint()
    guard sequence > 0 else { throw .invalid("a dot with sequence 0") }
  }

  package func encode(into writer: inout ByteWriter) {
    replica.encode(into: &writer)
    writer.writeVarint(sequence)
  }

  package static func < (left: Dot, right: Dot) -> Bool {
    left.replica != right.replica ? left.replica < right.replica : left.sequence < right.sequence
  }
}
