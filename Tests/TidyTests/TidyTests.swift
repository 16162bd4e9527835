import Testing

/// The style guide as a test: what a reviewer should not have to look for.
@Suite struct TidyTests {
  @Test func `a file can be read in one sitting`() {
    expectNoViolations(in: SourceFile.swift, of: SizeRules.violations)
  }

  @Test func `a file says nothing that is banned`() {
    expectNoViolations(in: SourceFile.all, of: WordRules.violations)
  }

  @Test func `a source looks down, never up`() {
    let sources = SourceFile.sources
    expectNoViolations(in: sources) { LayerRules.violations(in: $0, among: sources) }
  }

  @Test func `names and doc comments are in place`() {
    let folders = NameRules.folders(of: SourceFile.sources)
    expectNoViolations(in: SourceFile.swift) {
      NameRules.violations(in: $0, sourceFolders: folders)
    }
  }

  @Test func `code outweighs comments`() {
    #expect(SizeRules.commentShare(of: SourceFile.sources) <= SizeRules.commentShareLimit)
  }

  @Test func `the walk finds the package`() {
    #expect(SourceFile.all.contains { $0.path == "Package.swift" })
    #expect(SourceFile.sources.contains { $0.path == "Sources/Engine/Bytes/ByteReader.swift" })
    #expect(!SourceFile.all.contains { $0.path.contains(".build/") })
  }

  private func expectNoViolations(in files: [SourceFile], of rule: (SourceFile) -> [String]) {
    for file in files {
      for violation in rule(file) { Issue.record("\(file.path): \(violation)") }
    }
  }
}
