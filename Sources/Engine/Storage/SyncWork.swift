/// The part of a sync that needs no owner: it runs on any thread, beside writes.
package final class SyncWork: Sendable {
  /// Everything up to this sequence is durable when the work has succeeded.
  package let target: UInt64

  init(target: UInt64) { self.target = target }

  /// Does the work, or waits for the thread that does it.
  package func run() {}
}
