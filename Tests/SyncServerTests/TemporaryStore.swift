import Foundation
import NyaruEngine

/// A directory of the real disk that goes with its last reference.
final class TemporaryStore: Sendable {
  let path: String

  init() throws {
    let name = "nyaru-\(UUID().uuidString)"
    path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func directory() throws -> DiskDirectory {
    try DiskDirectory.open(path: path, createIfMissing: false)
  }
}
