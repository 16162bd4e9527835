/// One version of a document that still stands: nobody who saw it replaced or deleted it.
package struct StandingEntry: Hashable, Sendable {
  package var dot: Dot

  /// Eight random bytes that tell two writes apart that claim the same dot (a copied replica).
  package var tag: UInt64

  /// Milliseconds since 1970, by the clock of the author.
  package var time: UInt64

  package var format: BodyFormat
  package var body: [UInt8]

  package init(dot: Dot, tag: UInt64, time: UInt64, format: BodyFormat, body: [UInt8]) {
    self.dot = dot
    self.tag = tag
    self.time = time
    self.format = format
    self.body = body
  }

  /// Whether both are the same version: the same write, and not two that claim one dot.
  package func isSame(as other: StandingEntry) -> Bool { dot == other.dot && tag == other.tag }

  /// Whether this version is seen before the other one: newest by (time, author, sequence, tag).
  package func precedes(_ other: StandingEntry) -> Bool {
    if time != other.time { return time > other.time }
    if dot != other.dot { return dot > other.dot }
    return tag > other.tag
  }
}
