import NyaruEngine
package import NyaruSyncLog

/// Versions that stand beside those that are seen, as `conflicts` shows them.
package struct ConflictList: Sendable {
  private let conflicts: [Conflict]

  package init(_ conflicts: [Conflict]) { self.conflicts = conflicts }

  /// One element for each version that is not seen; its number is what `resolve --keep` takes.
  package var json: JSONOutput {
    .array(
      conflicts.flatMap { conflict in
        conflict.others.enumerated().map { index, version in
          .object([
            ("collection", .string(conflict.collection)), ("id", Self.json(of: conflict.id)),
            ("version", .integer(index + 1)), ("document", .text(version.document.json())),
            ("author", .string("\(version.author)")), ("time", .unsigned(version.time)),
            ("seen", .text(conflict.seen.document.json())),
          ])
        }
      })
  }

  package var text: String {
    if conflicts.isEmpty { return "no conflicts" }
    return conflicts.map { conflict in
      let id = Self.json(of: conflict.id).line
      let versions = ([conflict.seen] + conflict.others).enumerated().map { index, version in
        "  \(index)\(index == 0 ? " (seen)" : "")  \(version.document.json())"
      }
      return (["\(conflict.collection) \(id)"] + versions).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private static func json(of id: DocumentValue) -> JSONOutput {
    switch id {
    case .string(let text): .string(text)
    case .integer(let number): .text(String(number))
    case .unsigned(let number): .unsigned(number)
    case .bool(let flag): .bool(flag)
    default: .string("\(id)")
    }
  }
}
