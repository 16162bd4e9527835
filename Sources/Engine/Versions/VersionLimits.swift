/// How large the version data of one record may become. Above it writes are refused.
package enum VersionLimits {
  /// Versions of one record that stand at the same time.
  package static let entryCount = 64

  /// Authors that one record remembers.
  package static let authorCount = 4096

  /// Milliseconds since 1970 at the end of the year 9999: the latest time of a version.
  package static let time: UInt64 = 253_402_300_799_999
}
