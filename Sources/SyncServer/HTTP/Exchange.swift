internal import Synchronization

/// One request and its answer, while the daemon's threads and a task hand it to each other.
///
/// The phases only go forward: head, reading or discarding, working, answered. A working
/// exchange is answered exactly once, by its task or by the daemon that stops.
package final class Exchange: Sendable {
  /// What the daemon's thread does with the connection next.
  package enum Step {
    /// Read on; the bytes that were given are taken.
    case proceed

    /// Suspend the connection and have the work done.
    case work(@Sendable ([UInt8]) async -> ServerAnswer, [UInt8])

    case send(ServerAnswer)

    /// The client sends more than it announced, or goes on after it was refused.
    case giveUp
  }

  private enum Phase {
    case reading(size: Int, respond: @Sendable ([UInt8]) async -> ServerAnswer)
    case discarding(ServerAnswer, size: Int)
    case working
    case answered(ServerAnswer)
  }

  private struct State {
    var phase: Phase
    var body: [UInt8] = []
    var receivedSize = 0
    var answer: ServerAnswer?
  }

  let method: String
  let label: RequestLabel
  let requestID: String
  let start: Duration
  private let state: Mutex<State>

  package init(
    method: String, label: RequestLabel, decision: HeadDecision, requestID: String,
    start: Duration
  ) {
    self.method = method
    self.label = label
    self.requestID = requestID
    self.start = start
    let phase: Phase =
      switch decision {
      case .answer(let answer, discarding: 0): .answered(answer)
      case .answer(let answer, let size): .discarding(answer, size: size)
      case .read(let size, let respond): .reading(size: size, respond: respond)
      }
    state = Mutex(State(phase: phase))
  }

  /// The answer that needs no body, right after the head.
  package var immediateAnswer: ServerAnswer? {
    state.withLock { state in
      guard case .answered(let answer) = state.phase else { return nil }
      state.answer = answer
      return answer
    }
  }

  /// How many bytes of body are to come.
  package var expectedSize: Int {
    state.withLock { state in
      switch state.phase {
      case .reading(let size, _), .discarding(_, let size): size
      case .working, .answered: 0
      }
    }
  }

  /// Takes a piece of the body.
  package func receive(count: Int, _ append: (inout [UInt8]) -> Void) -> Step {
    state.withLock { state in
      state.receivedSize += count
      switch state.phase {
      case .reading(let size, _):
        guard count <= size - state.body.count else { return .giveUp }
        append(&state.body)
        return .proceed
      case .discarding(_, let size):
        return state.receivedSize <= size ? .proceed : .giveUp
      case .working, .answered:
        return .giveUp
      }
    }
  }

  /// The body is complete, or the connection was resumed.
  package func advance() -> Step {
    state.withLock { state in
      switch state.phase {
      case .reading(let size, let respond):
        guard state.body.count == size else { return .giveUp }
        let body = state.body
        state.body = []
        state.phase = .working
        return .work(respond, body)
      case .discarding(let answer, _), .answered(let answer):
        state.phase = .answered(answer)
        state.answer = answer
        return .send(answer)
      case .working:
        return .proceed
      }
    }
  }

  /// Ends the work; `false` if somebody else did before.
  package func finish(_ answer: ServerAnswer) -> Bool {
    state.withLock { state in
      guard case .working = state.phase else { return false }
      state.phase = .answered(answer)
      return true
    }
  }

  /// What there is to log once the answer is sent, or the connection broke.
  package func logEntry(isComplete: Bool, at now: Duration) -> RequestLogEntry {
    state.withLock { state in
      let answer = isComplete ? state.answer : nil
      return RequestLogEntry(
        method: method, route: label.route, status: answer?.status ?? 0,
        receivedSize: state.receivedSize, sentSize: answer?.body.count ?? 0,
        milliseconds: Int((now - start) / .milliseconds(1)), requestID: requestID,
        tokenID: label.tokenID)
    }
  }
}
