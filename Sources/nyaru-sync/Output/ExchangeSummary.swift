package import NyaruSyncLog

/// What an exchange did, as the command reports it.
package struct ExchangeSummary: Equatable, Sendable {
  package var report: SyncReport

  /// Nothing was changed, as was asked for.
  package var isDryRun: Bool

  package init(_ report: SyncReport, isDryRun: Bool = false) {
    self.report = report
    self.isDryRun = isDryRun
  }

  package var exitCode: ExitCode {
    let left = report.conflicts + report.parked + report.quarantined
    if left > 0 || !report.problems.isEmpty { return .differences }
    return report.reconciled ? .diverged : .clean
  }

  package var json: JSONOutput {
    .object([
      ("sent", .integer(report.sent)), ("received", .integer(report.received)),
      ("applied", .integer(report.applied)), ("same", .integer(report.same)),
      ("conflicts", .integer(report.conflicts)), ("parked", .integer(report.parked)),
      ("quarantined", .integer(report.quarantined)), ("bytes", .integer(report.bytes)),
      ("requests", .integer(report.requests)), ("seconds", .seconds(report.seconds)),
      ("verified", .bool(report.verified)), ("reconciled", .bool(report.reconciled)),
      ("reidentified", .bool(report.reidentified)), ("dryRun", .bool(isDryRun)),
      ("problems", .array(report.problems.map(JSONOutput.string))),
    ])
  }

  package var text: String {
    let verb = isDryRun ? "would send \(report.sent), receive" : "sent \(report.sent), received"
    let size = ProgressLine.size(report.bytes)
    let seconds = (report.seconds * 100).rounded() / 100
    var lines = [
      "\(verb) \(report.received) (\(report.applied) new, \(report.same) the same)",
      "\(Noun.text(report.requests, "request")), \(size), \(seconds) seconds",
    ]
    if report.conflicts > 0 {
      lines.append(
        "\(Noun.text(report.conflicts, "conflict")): versions stand beside the one that is seen;"
          + " `nyaru-sync conflicts` shows them")
    }
    if report.parked > 0 { lines.append("\(report.parked) records were refused; they stay here") }
    if report.quarantined > 0 {
      lines.append("\(report.quarantined) records do not open; they are kept aside")
    }
    if report.reconciled { lines.append("the histories had parted; both sides were compared") }
    if report.reidentified {
      lines.append("this directory is a copy or was restored; it has an identity of its own now")
    }
    lines += report.problems
    if report.verified { lines.append("verified: both sides are equal") }
    return lines.joined(separator: "\n")
  }
}
