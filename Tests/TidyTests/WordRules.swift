/// Words that stand for a risk, and where they may stand.
enum WordRules {
  /// Never, in no Swift file.
  static let banned = [
    "try!", "as!", "@unchecked", "nonisolated(unsafe)", "fatalError(", "@testable",
  ]

  /// Not in a library, whose caller owns the standard streams.
  static let bannedInLibraries = ["print(", "debugPrint(", "dump("]

  /// Marks of unfinished work, in code and comments of any text file.
  static let unfinished = ["TO" + "DO", "FIX" + "ME", "XX" + "X:"]

  /// Folders and files whose code may say `unsafe`.
  static let mayBeUnsafe = [
    "Sources/Engine/System/", "Sources/Engine/Bytes/", "Sources/Engine/Crypto/",
    "Sources/Engine/Values/", "Sources/Engine/Storage/", "Sources/SyncHTTP/",
    "Sources/SyncServer/", "Sources/nyaru-sync/System/", "Tests/", "Fuzz/", "Benchmarks/",
  ]

  /// What speaks of the machine a text was written on instead of the project.
  static let foreign = [
    "/wo" + "rk/", "/fa" + "rm/", "/ro" + "ot/", "/ho" + "me/", "/tm" + "p/w/", "/tm" + "p/b ",
    "issue" + " #", "anthro" + "pic", "clau" + "de", "open" + "ai", "chat" + "gpt", "co" + "dex",
  ]

  static func violations(in file: SourceFile) -> [String] {
    var found = inText(of: file)
    guard let code = file.code else { return found }
    let isLibrary = file.path.hasPrefix("Sources/") && !file.path.contains("/nyaru-sync/")
    for (index, line) in code.lines.enumerated() {
      for word in banned where contains(word, in: line) {
        found.append("\(word) in line \(index + 1)")
      }
      for word in bannedInLibraries where isLibrary && contains(word, in: line) {
        found.append("\(word) in line \(index + 1)")
      }
    }
    if code.words.contains("unsafe"), !mayBeUnsafe.contains(where: file.path.hasPrefix) {
      found.append("unsafe code in a folder that has none")
    }
    return found
  }

  private static func inText(of file: SourceFile) -> [String] {
    let lowercased = file.text.lowercased()
    return foreign.filter { lowercased.contains($0) }.map { "speaks of \($0)" }
      + unfinished.filter { file.text.contains($0) }.map { "says \($0)" }
  }

  /// A word counts only where it is not the end of a longer one: `blueprint(` prints nothing.
  private static func contains(_ word: String, in line: String) -> Bool {
    var rest = line[...]
    while let range = rest.firstRange(of: word) {
      let before = line[..<range.lowerBound].utf8.last
      if before.map({ !CodeText.isWordByte($0) && $0 != 0x2E }) ?? true { return true }
      rest = rest[range.upperBound...]
    }
    return false
  }
}
