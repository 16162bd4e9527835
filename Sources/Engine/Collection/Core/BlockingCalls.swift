internal import Dispatch

/// Threads for calls that wait for the disk, so that the tasks' own few threads do not.
package enum BlockingCalls {
  private static let queue = DispatchQueue(label: "nyaru.blocking", attributes: .concurrent)

  /// Runs the body on another thread and returns when it is done.
  package static func run(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      queue.async {
        body()
        continuation.resume()
      }
    }
  }
}
