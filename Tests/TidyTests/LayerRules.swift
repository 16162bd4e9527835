/// Which folder and which module may use which: always those before it, never those behind it.
enum LayerRules {
  /// The folders of the engine, lowest first. Files beside them stand on top.
  static let folders = [
    "System", "Bytes", "Crypto", "Values", "Versions", "Index", "Storage", "Query", "Collection",
  ]

  /// What a source folder may import of the package.
  static let imports: [String: Set<String>] = [
    "Engine": ["CZlib", "COpenSSL"],
    "SyncLog": ["NyaruEngine"],
    "SyncHTTP": ["NyaruEngine", "NyaruSyncLog", "CCurl"],
    "SyncServer": ["NyaruEngine", "NyaruSyncLog", "CMicroHTTPD"],
    "Nyaru": ["NyaruEngine", "NyaruSyncLog", "NyaruSyncHTTP"],
    "nyaru-sync": [
      "Nyaru", "NyaruEngine", "NyaruSyncLog", "NyaruSyncHTTP", "NyaruSyncServer", "CGetopt",
    ],
  ]

  static let modules = Set(imports.values.joined())

  /// Folders of the engine that may use Foundation, for the values that it defines.
  static let mayUseFoundation: Set<String> = ["Values", "Query", "Collection"]

  static func violations(in file: SourceFile, among all: [SourceFile]) -> [String] {
    importViolations(in: file) + folderViolations(in: file, among: all)
  }

  private static func importViolations(in file: SourceFile) -> [String] {
    let components = file.components
    guard components.count > 2, let code = file.code else { return [] }
    let allowed = imports[String(components[1])] ?? []
    return code.lines.compactMap { line in
      let words = line.split(separator: " ")
      guard let keyword = words.firstIndex(of: "import"), keyword < words.count - 1 else {
        return nil
      }
      let module = String(words[words.count - 1])
      if modules.contains(module), !allowed.contains(module) { return "imports \(module)" }
      let isClosed = components[1] == "Engine" && level(of: file) < folders.count
      if isClosed, module.hasPrefix("Foundation"),
        !mayUseFoundation.contains(String(components[2]))
      {
        return "imports \(module)"
      }
      return nil
    }
  }

  /// How high a file of the engine stands; the files on top of all folders stand highest.
  static func level(of file: SourceFile) -> Int {
    guard file.components.count > 3 else { return folders.count }
    return folders.firstIndex(of: String(file.components[2])) ?? -1
  }

  private static func folderViolations(
    in file: SourceFile, among all: [SourceFile]
  ) -> [String] {
    guard file.path.hasPrefix("Sources/Engine/"), let words = file.code?.words else { return [] }
    let own = level(of: file)
    guard own >= 0 else { return ["lies in a folder that has no place in the order"] }
    return all.filter { $0.path.hasPrefix("Sources/Engine/") && level(of: $0) > own }
      .flatMap { other in
        other.types.filter { !$0.isPrivate && words.contains($0.name) }
          .map { "uses \($0.name), which \(other.path) declares" }
      }
  }
}
