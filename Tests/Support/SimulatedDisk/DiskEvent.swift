/// One mutating call on a simulated disk, as it went.
package enum DiskEvent: Sendable {
  case createFile(directory: Int, name: String)
  case createDirectory(directory: Int, name: String)
  case rename(directory: Int, from: String, to: String)
  case unlink(directory: Int, name: String)
  case write(file: Int, offset: Int, bytes: [UInt8])
  case truncate(file: Int, size: Int)
  case syncFile(Int)
  case syncDirectory(Int)

  /// A sync that failed: some pages are on the disk, the others never will be, and read as if.
  case failSync(file: Int, seed: UInt64)

  /// A call that failed without any effect.
  case failure

  /// Whether the call failed, and did nothing.
  package var isFailure: Bool { if case .failure = self { true } else { false } }
}

/// What a power cut leaves of that which no sync has vouched for.
package enum Survival: String, CaseIterable, Sendable {
  /// The process ends, the machine goes on: everything that was written stays readable.
  case kill

  /// Changes reached the disk in order; the last one is torn at a sector's border.
  case prefix

  /// Any sectors and any names reached the disk.
  case subset
}
