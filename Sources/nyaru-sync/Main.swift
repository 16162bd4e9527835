import NyaruSyncServer

/// The command `nyaru-sync`: reads its arguments, runs one command, and ends with its status.
@main struct Main {
  static func main() async {
    let environment = ProcessEnvironment.variables
    let invocation: Invocation
    do throws(UsageError) {
      let arguments = Array(CommandLine.arguments.dropFirst())
      invocation = try ArgumentParser(environment: environment).parse(arguments)
    } catch {
      ProcessEnvironment.writeError(HelpText.complaint(error) + "\n")
      ProcessEnvironment.exit(.usage)
    }
    let console = Console(
      invocation, environment: environment, isErrorTerminal: ProcessEnvironment.isErrorTerminal)
    var runner = CommandRunner(console: console)
    if case .serve = invocation.action { runner.signals = SignalWaiter() }
    do {
      ProcessEnvironment.exit(try await runner.run(invocation.action))
    } catch {
      let failure = CommandFailure(error)
      console.complain(failure.message)
      ProcessEnvironment.exit(failure.code)
    }
  }
}
