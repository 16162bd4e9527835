/// How files, suites, tests and types are called and introduced.
enum NameRules {
  static func violations(in file: SourceFile, sourceFolders: Set<String>) -> [String] {
    documentation(in: file) + sentences(in: file) + mirror(of: file, sourceFolders: sourceFolders)
  }

  /// The folders of all sources, such as `Engine/Bytes`.
  static func folders(of sources: [SourceFile]) -> Set<String> {
    Set(sources.map { $0.components.dropFirst().dropLast().joined(separator: "/") })
  }

  private static func documentation(in file: SourceFile) -> [String] {
    guard file.path.hasPrefix("Sources/") else { return [] }
    return file.types.filter { !$0.isDocumented }
      .map { "\($0.name) in line \($0.line) has no doc comment" }
  }

  /// A test is a sentence about behaviour, in backticks.
  private static func sentences(in file: SourceFile) -> [String] {
    guard file.path.hasPrefix("Tests/"), let code = file.code else { return [] }
    var isTest = false
    var found: [String] = []
    for (index, line) in code.lines.enumerated() {
      if line.contains("@Test") { isTest = true }
      guard isTest, line.contains("func ") else { continue }
      isTest = false
      if !line.contains("func `") { found.append("line \(index + 1) names a test in no sentence") }
    }
    return found
  }

  /// A file of tests holds the suite of its name, and lies in a folder that the sources have, too.
  private static func mirror(of file: SourceFile, sourceFolders: Set<String>) -> [String] {
    guard file.path.hasPrefix("Tests/"), let code = file.code, code.text.contains("@Test") else {
      return []
    }
    var found: [String] = []
    if !file.stem.hasSuffix("Tests") || !code.words.contains(file.stem) {
      found.append("holds tests, but no suite \(file.stem)")
    }
    let folder = file.components.dropFirst().dropLast()
    if folder.count > 1, let target = folder.first, target.hasSuffix("Tests"),
      target != "SimulationTests"  // Its folders are the worlds that it simulates.
    {
      let source = target == "CommandTests" ? "nyaru-sync" : target.dropLast(5)
      let mirrored = ([source] + folder.dropFirst()).joined(separator: "/")
      let isKnown = sourceFolders.contains { ($0 + "/").hasPrefix(mirrored + "/") }
      if !isKnown { found.append("mirrors Sources/\(mirrored), which is not there") }
    }
    return found
  }
}
