import FoundationEssentials

/// A directory of the real disk that goes, with all it holds, when the last reference goes.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    let root = FileManager.default.temporaryDirectory.path
    path = root + "/nyaru-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // What is left behind lies in the directory for such things.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file or directory inside.
  package func path(_ name: String) -> String { path + "/" + name }
}
