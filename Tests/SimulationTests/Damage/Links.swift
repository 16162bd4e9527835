import FoundationEssentials
import TestSupport

/// Symbolic links in the place of files.
enum Links {
  static func files(below path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).map { path + "/" + $0 }
      .filter { (try? FileManager.default.contentsOfDirectory(atPath: $0)) == nil }.sorted()
  }

  /// Moves a file away, and leaves a link to it.
  static func replace(_ file: String, in temporary: TemporaryDirectory) throws {
    try FileManager.default.moveItem(atPath: file, toPath: temporary.path("moved"))
    try FileManager.default.createSymbolicLink(
      atPath: file, withDestinationPath: temporary.path("moved"))
  }

  static func putBack(_ file: String, in temporary: TemporaryDirectory) throws {
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.moveItem(atPath: temporary.path("moved"), toPath: file)
  }
}
