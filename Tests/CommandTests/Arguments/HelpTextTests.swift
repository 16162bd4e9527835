import Testing
import nyaru_sync

@Suite struct HelpTextTests {
  @Test(arguments: Verb.allCases)
  func `every command has a page that names its options`(verb: Verb) throws {
    let definition = try #require(CommandTable.definition(of: verb))
    let page = HelpText.page(on: definition)
    #expect(page.hasPrefix("usage: nyaru-sync \(verb.rawValue)"))
    for option in definition.allOptions { #expect(page.contains("--" + option.rawValue)) }
    #expect(HelpText.overview().contains("  \(verb.rawValue) "))
  }

  @Test func `the pages fit a terminal`() {
    for definition in CommandTable.all {
      for line in HelpText.page(on: definition).split(separator: "\n") {
        #expect(line.count <= 100, "\(definition.verb.rawValue): \(line)")
      }
    }
  }

  @Test func `a complaint shows the usage of the command`() {
    let text = HelpText.complaint(UsageError("ID is missing", verb: .get))
    #expect(
      text == """
        nyaru-sync get: ID is missing
        usage: nyaru-sync get DIR COLLECTION ID
        See `nyaru-sync help get`.
        """)
  }

  @Test func `exit statuses are as documented`() {
    #expect(ExitCode.allCases.map(\.rawValue) == Array(0...9))
    for code in ExitCode.allCases {
      #expect(HelpText.overview().contains("  \(code.rawValue)  \(code.explanation)"))
    }
  }
}
