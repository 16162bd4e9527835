import Synchronization

/// Shows a ``ProgressLine`` on a terminal, and nothing anywhere else.
final class ProgressBar: Sendable {
  private struct State {
    var line: ProgressLine
    var drawn: ContinuousClock.Instant?
  }

  private static let interval = Duration.milliseconds(100)
  private static let eraseLine = "\r\u{1B}[K"

  private let isVisible: Bool
  private let started = ContinuousClock.now
  private let state: Mutex<State>

  init(_ label: String, on console: Console) {
    isVisible = console.isTerminal && !console.isQuiet
    state = Mutex(State(line: ProgressLine(label: label, documents: 0, seconds: 0)))
  }

  /// Seconds since the bar was made.
  var seconds: Double {
    let elapsed = (ContinuousClock.now - started).components
    return Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
  }

  /// Takes the new counts, and draws them where the last drawing is old enough.
  func update(documents: Int, fraction: Double? = nil, bytes: Int? = nil) {
    guard isVisible else { return }
    let now = ContinuousClock.now
    state.withLock { state in
      state.line.documents = documents
      state.line.fraction = fraction
      state.line.bytes = bytes
      if let drawn = state.drawn, now - drawn < Self.interval { return }
      state.drawn = now
      state.line.seconds = seconds
      ProcessEnvironment.writeError(Self.eraseLine + state.line.text)
    }
  }

  /// Takes the line off the terminal, so that messages start on a clean one.
  func clear() {
    state.withLock { state in
      if state.drawn != nil { ProcessEnvironment.writeError(Self.eraseLine) }
      state.drawn = nil
    }
  }
}
