internal import Dispatch

/// Lets go of what takes long to go, on a thread of its own: a large file that has no name any more
/// gives its blocks back when it is closed.
enum LateRelease {
  static func of(_ object: some Sendable) {
    DispatchQueue.global(qos: .utility).async { withExtendedLifetime(object) {} }
  }
}
