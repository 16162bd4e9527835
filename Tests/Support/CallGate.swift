import Foundation
import Synchronization

/// Stops the calls of a writer one by one, so that a test looks around at each of them.
///
/// A thread that comes to a closed gate waits there until ``letPass()``.
package final class CallGate: Sendable {
  private struct State: Sendable {
    var isClosed = false
    var isOver = false

    /// Calls at the gate that the test has not heard of.
    var arrivals: [String] = []
    var passes = 0
    var watcher: CheckedContinuation<Void, Never>?

    mutating func takePass() -> Bool {
      guard isClosed else { return true }
      guard passes > 0 else { return false }
      passes -= 1
      return true
    }
  }

  private let state = Mutex(State())
  private let condition = NSCondition()

  package init() {}

  /// Stops every call from now on.
  package func close() { change { $0 = State(isClosed: true) } }

  /// The writer has ended; nobody comes any more.
  package func end() {
    change { state in
      state.isOver = true
      state.isClosed = false
    }
  }

  /// Lets one call go on.
  package func letPass() { change { $0.passes += 1 } }

  /// The next call that came to the gate, or `nil` once the writer has ended.
  package func next() async -> String? {
    while true {
      let (call, isOver) = state.withLock { state in
        (state.arrivals.isEmpty ? nil : state.arrivals.removeFirst(), state.isOver)
      }
      if call != nil || isOver { return call }
      await withCheckedContinuation { continuation in
        let isNews = state.withLock { state in
          if !state.arrivals.isEmpty || state.isOver { return true }
          state.watcher = continuation
          return false
        }
        if isNews { continuation.resume() }
      }
    }
  }

  /// Waits while the gate is closed.
  package func pass(_ call: String) {
    let isClosed = state.withLock { state in
      if state.isClosed { state.arrivals.append(call) }
      return state.isClosed
    }
    guard isClosed else { return }
    change { _ in }
    condition.lock()
    while !state.withLock({ $0.takePass() }) { condition.wait() }
    condition.unlock()
  }

  private func change(_ body: (inout State) -> Void) {
    condition.lock()
    let watcher = state.withLock { state in
      body(&state)
      guard !state.arrivals.isEmpty || state.isOver else {
        return nil as CheckedContinuation<Void, Never>?
      }
      defer { state.watcher = nil }
      return state.watcher
    }
    condition.broadcast()
    condition.unlock()
    watcher?.resume()
  }
}
