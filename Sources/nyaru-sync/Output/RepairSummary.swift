import NyaruEngine

/// What `check --repair` did, collection by collection.
struct RepairSummary {
  var report: RepairReport?

  /// The database manifest was lost, and with it who the database was.
  var lostIdentities = false

  /// Files of peers that did not read.
  var removedPeers: [String] = []

  var exitCode: ExitCode {
    guard let report, report.isSound else { return .damage }
    return report.hasLosses || lostIdentities ? .differences : .clean
  }

  /// What was done outside of collections.
  private var actions: [String] {
    var actions: [String] = []
    if lostIdentities {
      actions.append(
        "the file database is rebuilt, and the old one is database.damaged; the membership of a"
          + " vault is lost: the next sync needs --join, or the key")
    }
    for name in removedPeers {
      actions.append("sync/\(name) is removed; the next sync compares everything")
    }
    return actions
  }

  var json: JSONOutput {
    .object([
      ("sound", .bool(report?.isSound ?? false)),
      ("losses", .bool(report?.hasLosses ?? false)),
      ("actions", .array(actions.map(JSONOutput.string))),
      ("collections", .array((report?.collections ?? []).map(Self.json(of:)))),
    ])
  }

  private static func json(of collection: RepairReport.Collection) -> JSONOutput {
    .object([
      ("name", .string(collection.name)),
      ("actions", .array(collection.actions.map(JSONOutput.string))),
      ("lost", .array(collection.lost.map { .string("\($0)") })),
      ("failure", collection.failure.map(JSONOutput.string) ?? .null),
    ])
  }

  var text: String {
    var lines = actions
    for collection in report?.collections ?? [] {
      let state =
        if collection.failure != nil {
          "still damaged"
        } else if collection.hasLosses {
          "repaired, with losses"
        } else {
          collection.actions.isEmpty ? "sound" : "repaired"
        }
      lines.append("\(collection.name): \(state)")
      lines += (collection.actions + [collection.failure].compactMap { $0 }).map { "  " + $0 }
    }
    return lines.isEmpty ? "no collections" : lines.joined(separator: "\n")
  }
}
