import FoundationEssentials

/// A text file of the package, read once.
struct SourceFile: Sendable {
  /// The path from the package's folder on, such as `Sources/Engine/Bytes/ByteReader.swift`.
  let path: String
  let text: String

  let lines: [String]

  /// The code alone; only Swift files have any.
  let code: CodeText?

  /// The types at the top level.
  let types: [TypeDeclaration]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    self.lines = lines
    code = path.hasSuffix(".swift") ? CodeText(text) : nil
    types = code?.types(source: lines) ?? []
  }

  var components: [Substring] { path.split(separator: "/") }

  var name: Substring { components.last ?? "" }

  /// The file's name up to the first dot or plus sign.
  var stem: String { String(name.prefix { $0 != "." && $0 != "+" }) }
}

extension SourceFile {
  /// Every text file of the package, whether or not it was committed yet.
  static let all: [SourceFile] = read(folder: "")

  static let swift = all.filter { $0.code != nil }

  static let sources = swift.filter { $0.path.hasPrefix("Sources/") }

  static let tests = swift.filter { $0.path.hasPrefix("Tests/") }

  private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(3).joined(separator: "/")

  private static func read(folder: String) -> [SourceFile] {
    let files = FileManager.default
    let names = (try? files.contentsOfDirectory(atPath: root + "/" + folder)) ?? []
    return names.sorted().flatMap { name -> [SourceFile] in
      let path = folder.isEmpty ? name : folder + "/" + name
      if name == ".git" || name.hasPrefix(".build") || name == ".swiftpm" { return [] }
      var isFolder = false
      guard files.fileExists(atPath: root + "/" + path, isDirectory: &isFolder) else { return [] }
      if isFolder { return read(folder: path) }
      guard let bytes = files.contents(atPath: root + "/" + path),
        let text = String(validating: bytes, as: UTF8.self)
      else { return [] }
      return [SourceFile(path: path, text: text)]
    }
  }
}
