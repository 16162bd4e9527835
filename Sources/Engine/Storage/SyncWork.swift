import Synchronization

/// The part of a sync that needs no owner: it runs on any thread, beside writes.
package final class SyncWork: Sendable {
  /// Everything up to this sequence is durable when the work has succeeded.
  package let target: UInt64

  private let files: [any File]
  private let directory: (any Directory)?

  /// The head's count when the work began, if it includes the head.
  let headCount: UInt64?

  private let outcome = Mutex<Result<Void, IOError>?>(nil)

  init(
    target: UInt64, files: [any File], directory: (any Directory)?, headCount: UInt64?
  ) {
    self.target = target
    self.files = files
    self.directory = directory
    self.headCount = headCount
  }

  /// Does the work, or waits for the thread that does it.
  ///
  /// The lock is held across the calls, so that who comes second finds the outcome.
  @discardableResult
  package func run() -> Result<Void, IOError> {
    outcome.withLock { outcome in
      if let outcome { return outcome }
      let result = perform()
      outcome = result
      return result
    }
  }

  /// Whether it is known to have run; right behind its end this may still say no.
  package var isFinished: Bool { outcome.withLockIfAvailable { $0 != nil } ?? false }

  private func perform() -> Result<Void, IOError> {
    do throws(IOError) {
      for file in files { try file.sync() }
      if let directory { try directory.sync() }
      return .success(())
    } catch {
      return .failure(error)
    }
  }
}
