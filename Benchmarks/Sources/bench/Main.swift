import Dispatch
import Glibc

/// Runs one phase of the workload on one engine, or makes the tables out of what was printed.
@main
enum Main {
  /// Waits for a task of its own: on the main actor every call would pay for the way there and
  /// back. The first thread stays, since profilers lose a process whose first thread ends.
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let end = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await run(arguments) } catch {
        StandardError.write("bench: \(error)\n")
        exit(1)
      }
      end.signal()
    }
    end.wait()
  }

  private static func run(_ arguments: [String]) async throws {
    if arguments.first == "report" {
      try Report.write(ReportArguments(Array(arguments.dropFirst())))
      return
    }
    let arguments = try PhaseArguments(arguments)
    let context = arguments.context
    switch arguments.phase {
    case .load: try await context.load()
    case .open: try await context.open(.cleanOpen)
    case .openAfterKill: try await context.open(.openAfterKill)
    case .openAfterLongTail: try await context.open(.openAfterLongTail)
    case .kill: try await context.kill()
    case .use: try await context.use()
    case .durable: try await context.durable()
    case .codec: try await context.codec()
    }
  }
}
