import Glibc

/// Tells one run of the kernel from the next: what was not on the disk is lost between two.
package enum BootIdentity {
  private static let path = "/proc/sys/kernel/random/boot_id"

  /// A hash (FNV-1a) of the kernel's boot id.
  ///
  /// Where it cannot be read, each call gives another number: then every crash counts as a power
  /// cut, which is the careful reading.
  package static func current() -> UInt64 {
    guard let text = text(), !text.isEmpty else { return .random(in: 1...UInt64.max) }
    return text.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  private static func text() -> [UInt8]? {
    let number = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    let file = DiskFile(descriptor: Descriptor(owning: number), path: path)
    return try? file.read(64, at: 0)
  }
}
