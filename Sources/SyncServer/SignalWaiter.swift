internal import Dispatch
internal import Glibc
internal import Synchronization

/// Waits for the signals that ask the process to end: `SIGTERM` and `SIGINT`.
///
/// It lives as long as the process. From its making on neither signal ends the process by itself.
public final class SignalWaiter: Sendable {
  private struct State {
    var arrived: [CInt] = []
    var waiters: [CheckedContinuation<CInt, Never>] = []
    var sources: [any DispatchSourceSignal] = []
  }

  private let state = Mutex(State())

  /// Begins to collect `SIGTERM` and `SIGINT` in place of their default, which would end the
  /// process.
  public init() {
    // A mask would not do: the main thread of a program whose `main` is asynchronous waits inside
    // Dispatch, with all signals unblocked.
    for number in [SIGTERM, SIGINT] {
      signal(number, SIG_IGN)
      state.withLock { state in
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [self] in deliver(number) }
        source.activate()
        state.sources.append(source)
      }
    }
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

  private func deliver(_ signal: CInt) {
    let waiter = state.withLock { state in
      if state.waiters.isEmpty { state.arrived.append(signal) }
      return state.waiters.isEmpty ? nil : state.waiters.removeFirst()
    }
    waiter?.resume(returning: signal)
  }
}
