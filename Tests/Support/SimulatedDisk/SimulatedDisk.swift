import Glibc
package import NyaruEngine
import Synchronization

/// A disk in memory whose every call can be the last, or fail.
///
/// A test runs the engine on ``root``, takes the ``journal`` of mutating calls, and replays it
/// onto the ``DiskImage`` it began with: each number of calls is a point at which a crash can be
/// tried. The engine itself runs only once.
package final class SimulatedDisk: Sendable {
  struct State: Sendable {
    var image: DiskImage
    var journal: [DiskEvent] = []
    var counters = DiskCounters()
    var fault: DiskFault?
    var failures: [IOError] = []
    var totalCount = 0
    var remaining: Int?
    var interrupted: DiskEvent?
    var locks: Set<Int> = []
    var isDeferring = false
    var deferred: [DiskEvent] = []
  }

  /// The image that the journal starts from.
  package let start: DiskImage

  private let state: Mutex<State>
  private let syncGate = SyncGate()

  package init(_ image: DiskImage = DiskImage()) {
    start = image
    state = Mutex(State(image: image))
  }

  package var root: any Directory { SimulatedDirectory(disk: self, node: DiskImage.root, path: "") }

  /// The disk as it is now.
  package var image: DiskImage { state.withLock { $0.image } }

  /// All mutating calls so far.
  package var journal: [DiskEvent] { state.withLock { $0.journal } }

  /// How many mutating calls there were.
  package var callCount: Int { state.withLock { $0.journal.count } }

  /// How many calls there were, mutating or not.
  package var totalCallCount: Int { state.withLock { $0.totalCount } }

  /// The calls that failed because a fault was set.
  package var failures: [IOError] { state.withLock { $0.failures } }

  package var counters: DiskCounters { state.withLock { $0.counters } }

  package var bootID: UInt64 { start.bootID }

  /// Lets calls fail as told, or none.
  package func setFault(_ fault: DiskFault?) { state.withLock { $0.fault = fault } }

  /// Whether a fault is set that has not come.
  package var hasFaultAhead: Bool { state.withLock { $0.fault != nil } }

  /// Ends the disk after that many more mutating calls: everything fails from then on.
  package func setCrash(after callCount: Int?) { state.withLock { $0.remaining = callCount } }

  /// What the crash that was set leaves.
  package func crashed(
    _ survival: Survival, _ random: inout SeededGenerator
  ) -> DiskImage {
    let (image, event) = state.withLock { ($0.image, $0.interrupted) }
    return image.crashed(survival, during: event, &random)
  }

  package var hasCrashed: Bool { state.withLock { $0.remaining.map { $0 < 0 } ?? false } }

  /// Runs a body whose syncs return at once, and are carried out by ``runDeferredSync()``.
  ///
  /// So a sync that runs beside the writer is played on one thread, in an order that a seed
  /// repeats. Who does this must not take the syncs for finished before they are carried out.
  package func deferringSyncs(_ body: () -> Void) {
    state.withLock { $0.isDeferring = true }
    body()
    state.withLock { $0.isDeferring = false }
  }

  /// Carries out the first of the deferred syncs; `false` if there is none.
  package func runDeferredSync() -> Bool { state.withLock { $0.runDeferredSync() } }

  /// Makes file syncs wait until ``releaseSync()``, as a slow disk does.
  package func holdSyncs() { syncGate.close() }

  /// Lets one waiting sync, or the next to come, pass.
  package func releaseSync() { syncGate.letPass(1) }

  /// Lets all syncs pass from now on.
  package func releaseAllSyncs() { syncGate.open() }

  /// Returns when that many syncs wait.
  package func waitForSyncs(_ count: Int = 1) { syncGate.wait(for: count) }

  func waitToSync() { syncGate.pass() }

  /// Carries out a mutating call, unless the disk has ended or the call is to fail.
  func mutate<Result: Sendable>(
    _ operation: String, _ path: String,
    _ plan: (inout State) throws(IOError) -> (DiskEvent, Result)
  ) throws(IOError) -> Result {
    let outcome = state.withLock { state -> Swift.Result<Result, IOError> in
      do throws(IOError) {
        return .success(try state.mutate(operation, path, plan))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// Carries out a call that changes nothing.
  func inspect<Result: Sendable>(
    _ operation: String, _ path: String, _ body: (inout State) throws(IOError) -> Result
  ) throws(IOError) -> Result {
    let outcome = state.withLock { state -> Swift.Result<Result, IOError> in
      do throws(IOError) {
        if let remaining = state.remaining, remaining < 0 {
          throw IOError("crashed", path: path, code: EIO)
        }
        if let fault = state.takeFault(.reading) {
          throw state.failure(operation, path, fault)
        }
        return .success(try body(&state))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  func unlock(_ node: Int) { state.withLock { _ = $0.locks.remove(node) } }
}

extension SimulatedDisk.State {
  mutating func mutate<Result: Sendable>(
    _ operation: String, _ path: String,
    _ plan: (inout SimulatedDisk.State) throws(IOError) -> (DiskEvent, Result)
  ) throws(IOError) -> Result {
    if let remaining, remaining < 0 { throw IOError("crashed", path: path, code: EIO) }
    // What the file system refuses, such as a name that is missing, is no call of interest.
    let (event, result) = try plan(&self)
    if let remaining {
      self.remaining = remaining - 1
      if remaining == 0 {
        interrupted = event
        throw IOError("crashed", path: path, code: EIO)
      }
    }
    if let fault = takeFault(.mutating) {
      record(event.failed(seed: fault.seed))
      throw failure(operation, path, fault)
    }
    if isDeferring, event.isSync {
      deferred.append(event)
    } else {
      record(event)
    }
    return result
  }

  mutating func runDeferredSync() -> Bool {
    guard !deferred.isEmpty else { return false }
    record(deferred.removeFirst())
    return true
  }

  mutating func failure(_ operation: String, _ path: String, _ fault: DiskFault) -> IOError {
    let error = IOError(operation, path: path, code: fault.code)
    failures.append(error)
    return error
  }

  mutating func takeFault(_ kind: DiskFault.Kind) -> DiskFault? {
    totalCount += 1
    guard let fault, fault.kind == kind || fault.kind == .any else { return nil }
    if fault.callCount > 0 {
      self.fault?.callCount -= 1
      return nil
    }
    if !fault.isPersistent { self.fault = nil }
    return fault
  }

  private mutating func record(_ event: DiskEvent) {
    image.apply(event)
    journal.append(event)
    switch event {
    case .write(_, _, let bytes):
      counters.writes += 1
      counters.writeSize += bytes.count
    case .syncFile, .failSync: counters.fileSyncs += 1
    case .syncDirectory: counters.directorySyncs += 1
    default: break
    }
  }
}

extension DiskEvent {
  /// What is left of the call when it fails.
  fileprivate func failed(seed: UInt64) -> DiskEvent {
    switch self {
    case .write(let file, let offset, let bytes):
      let count = [0, bytes.count / 2, bytes.count][Int(seed % 3)]
      guard count > 0 else { return .failure }
      return .write(file: file, offset: offset, bytes: Array(bytes[..<count]))
    case .syncFile(let file):
      return .failSync(file: file, seed: seed)
    default:
      return .failure
    }
  }
}
