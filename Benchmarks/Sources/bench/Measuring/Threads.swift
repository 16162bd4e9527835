import Glibc
import Synchronization

/// Threads of their own for calls that wait, which the few threads of tasks should not carry.
enum Threads {
  /// Runs the body once for each input, all at the same time.
  static func run<Input: Sendable>(
    _ inputs: [Input], _ body: @escaping @Sendable (Input) throws -> Void
  ) throws {
    let failures = Mutex<[any Error]>([])
    let threads = try inputs.map { input in
      try Thread { do { try body(input) } catch { failures.withLock { $0.append(error) } } }
    }
    for thread in threads { _ = pthread_join(thread.handle, nil) }
    if let failure = failures.withLock({ $0.first }) { throw failure }
  }
}

/// One started thread.
private struct Thread {
  let handle: pthread_t

  init(_ body: @escaping @Sendable () -> Void) throws {
    let box = unsafe Unmanaged.passRetained(Body(body))
    var handle = pthread_t()
    let status = unsafe pthread_create(
      &handle, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        body.run()
        return nil
      }, box.toOpaque())
    guard status == 0 else { throw EngineError("pthread_create: \(status)") }
    self.handle = handle
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
