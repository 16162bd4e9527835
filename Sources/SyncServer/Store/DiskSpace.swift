internal import Glibc

/// Whether a disk has room for more: an endpoint that fills its disk would harm its neighbours.
package struct DiskSpace: Sendable {
  /// Below this share of the disk…
  package static let shareMinimum = 0.05

  /// …and below this size, in bytes, nothing more is taken.
  package static let sizeMinimum: UInt64 = 1 << 30

  /// Bytes that are free, and bytes in all; `nil` if nobody knows.
  package var measure: @Sendable () -> (free: UInt64, total: UInt64)?

  package init(measure: @escaping @Sendable () -> (free: UInt64, total: UInt64)?) {
    self.measure = measure
  }

  /// The disk that holds a path.
  package static func disk(of path: String) -> DiskSpace {
    DiskSpace {
      var values = statvfs()
      guard unsafe statvfs(path, &values) == 0 else { return nil }
      let unit = UInt64(values.f_frsize)
      return (UInt64(values.f_bavail) &* unit, UInt64(values.f_blocks) &* unit)
    }
  }

  /// Whether more may be written.
  package var hasRoom: Bool {
    guard let (free, total) = measure(), free < Self.sizeMinimum else { return true }
    return Double(free) >= Double(total) * Self.shareMinimum
  }
}
