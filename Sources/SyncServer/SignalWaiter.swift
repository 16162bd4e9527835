internal import Foundation
internal import Synchronization

/// Waits for the signals that ask the process to end: `SIGTERM` and `SIGINT`.
///
/// Make one at the very start of `main`, before any other thread exists: threads inherit that the
/// signals are blocked, and only the waiter's own thread takes them. It lives as long as the
/// process.
public final class SignalWaiter: Sendable {
  private struct State {
    var arrived: [CInt] = []
    var waiters: [CheckedContinuation<CInt, Never>] = []
  }

  private let state = Mutex(State())

  /// Begins to collect `SIGTERM` and `SIGINT` in place of their default, the end of the process.
  public init() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in [SIGTERM, SIGINT] { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    let blocked = set
    Thread.detachNewThread { [self] in collect(blocked) }
  }

  /// The next signal that comes, or that came since the last call.
  public func next() async -> CInt {
    await withCheckedContinuation { continuation in
      let signal = state.withLock { state in
        if !state.arrived.isEmpty { return state.arrived.removeFirst() as CInt? }
        state.waiters.append(continuation)
        return nil
      }
      if let signal { continuation.resume(returning: signal) }
    }
  }

  private func collect(_ signals: sigset_t) {
    var signals = signals
    var signal: CInt = 0
    while unsafe sigwait(&signals, &signal) == 0 {
      let waiter = state.withLock { state in
        if state.waiters.isEmpty { state.arrived.append(signal) }
        return state.waiters.isEmpty ? nil : state.waiters.removeFirst()
      }
      waiter?.resume(returning: signal)
    }
  }
}
