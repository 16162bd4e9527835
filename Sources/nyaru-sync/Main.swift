/// The command `nyaru-sync`.
@main struct Main {
  static func main() {
    do throws(UsageError) {
      let invocation = try ArgumentParser().parse(Array(CommandLine.arguments.dropFirst()))
      print(invocation)
    } catch {
      print(HelpText.complaint(error))
    }
  }
}
