import Dispatch
import Foundation
import Synchronization

/// Runs tasks on a thread of their own, where they may wait without holding up others.
package final class ThreadExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "nyaru.tests.thread")

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Runs the pieces of a task, from one suspension to the next, when the test says so.
package final class SteppingExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isOver = false
  }

  private let state = Mutex(State())
  private let condition = NSCondition()

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    change { $0.jobs.append(job) }
  }

  /// The task has come to its end; called by the task itself, as the last that it does.
  package func end() { change { $0.isOver = true } }

  /// Runs the next piece on the calling thread, once there is one.
  ///
  /// - Returns: `false` if the task had ended.
  package func step() -> Bool {
    condition.lock()
    while state.withLock({ $0.jobs.isEmpty && !$0.isOver }) { condition.wait() }
    let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    condition.unlock()
    guard let job else { return false }
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  private func change(_ body: (inout State) -> Void) {
    condition.lock()
    state.withLock { body(&$0) }
    condition.broadcast()
    condition.unlock()
  }
}
