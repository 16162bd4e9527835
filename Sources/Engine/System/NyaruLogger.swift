internal import Synchronization

/// What the engine says about its own work, for an app that wants to hear it.
///
/// Silent until an app sets a handler. A message names files, counts, sizes and failures of the
/// system; never the contents of a document, an id, a field's value or a key.
public enum NyaruLogger {
  /// How much a message matters, least first.
  public enum Level: UInt8, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    /// The plan of each query.
    case trace

    /// Checkpoints, syncs, and openings that found nothing to do.
    case debug

    /// What an operator asked for: compaction, exchanges with peers, new databases.
    case info

    /// What went well in the end: recovery after a crash, writes that a power cut took.
    case warning

    /// Damage, loss, and failures of the disk.
    case error

    /// The level's name.
    public var description: String {
      switch self {
      case .trace: "trace"
      case .debug: "debug"
      case .info: "info"
      case .warning: "warning"
      case .error: "error"
      }
    }

    /// Whether the left level matters less.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// Takes one message; it is called on any thread, at times within a write, and must not wait.
  public typealias Handler = @Sendable (_ level: Level, _ message: String) -> Void

  private static let state = Mutex<(level: Level, handler: Handler?)>((.info, nil))

  /// The lowest level that somebody wants to hear; above all levels if nobody listens.
  private static let threshold = Atomic<UInt8>(.max)

  /// Messages below this level are not even put together; `info` unless set.
  public static var logLevel: Level {
    get { state.withLock { $0.level } }
    set { update { $0.level = newValue } }
  }

  /// Who hears the messages of all databases in this process; `nil`, as at first, if nobody does.
  public static var handler: Handler? {
    get { state.withLock { $0.handler } }
    set { update { $0.handler = newValue } }
  }

  private static func update(_ change: (inout (level: Level, handler: Handler?)) -> Void) {
    state.withLock { state in
      change(&state)
      threshold.store(
        state.handler == nil ? .max : state.level.rawValue, ordering: .relaxed)
    }
  }

  /// Says something, if somebody wants to hear it; costs one load of memory otherwise.
  package static func log(_ level: Level, _ message: @autoclosure () -> String) {
    guard level.rawValue >= threshold.load(ordering: .relaxed) else { return }
    let handler = state.withLock { $0.handler }
    handler?(level, message())
  }
}
