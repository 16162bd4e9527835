/// Calls that a simulated disk lets fail.
package struct DiskFault: Sendable {
  /// The calls that are counted.
  package enum Kind: Sendable {
    case mutating
    case reading
    case any
  }

  package var kind: Kind

  /// How many calls of the kind succeed first.
  package var callCount: Int

  package var code: CInt

  /// Whether all later calls of the kind fail, too.
  package var isPersistent: Bool

  /// Decides how much of a failing write is written, and which pages a failing sync loses.
  package var seed: UInt64

  package init(
    _ kind: Kind = .mutating, after callCount: Int, code: CInt, isPersistent: Bool = false,
    seed: UInt64 = 0
  ) {
    self.kind = kind
    self.callCount = callCount
    self.code = code
    self.isPersistent = isPersistent
    self.seed = seed
  }
}

/// How often a simulated disk was called, and for how many bytes.
package struct DiskCounters: Equatable, Sendable {
  package var reads = 0
  package var readSize = 0
  package var writes = 0
  package var writeSize = 0
  package var fileSyncs = 0
  package var directorySyncs = 0
  package var opens = 0

  package init() {}
}
