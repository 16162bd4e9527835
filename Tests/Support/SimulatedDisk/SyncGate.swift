import Foundation
import Synchronization

/// Holds threads until they may go on, one at a time: for a disk that is as slow as a test wants.
final class SyncGate: Sendable {
  private struct State: Sendable {
    var isOpen = true
    var passes = 0
    var waiting = 0
  }

  private let state = Mutex(State())
  private let condition = NSCondition()

  func close() { change { $0 = State(isOpen: false) } }

  func open() { change { $0.isOpen = true } }

  func letPass(_ count: Int) { change { $0.passes += count } }

  /// Waits until the gate is open, or the thread may pass it.
  func pass() {
    if state.withLock(\.isOpen) { return }
    change { $0.waiting += 1 }
    wait { state in
      guard state.isOpen || state.passes > 0 else { return false }
      if !state.isOpen { state.passes -= 1 }
      state.waiting -= 1
      return true
    }
  }

  /// Waits until that many threads wait at the gate.
  func wait(for count: Int) { wait { $0.waiting >= count } }

  private func change(_ body: (inout State) -> Void) {
    condition.lock()
    state.withLock { body(&$0) }
    condition.broadcast()
    condition.unlock()
  }

  private func wait(until body: (inout State) -> Bool) {
    condition.lock()
    while !state.withLock({ body(&$0) }) { condition.wait() }
    condition.broadcast()
    condition.unlock()
  }
}
