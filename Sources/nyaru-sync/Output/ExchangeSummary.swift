/// What an exchange did, as the command reports it.
package struct ExchangeSummary: Equatable, Sendable {
  package var sent = 0
  package var received = 0
  package var applied = 0
  package var same = 0
  package var conflicts = 0
  package var parked = 0
  package var quarantined = 0
  package var bytes = 0
  package var requests = 0
  package var seconds = 0.0
  package var verified = false

  /// Whether the histories had diverged, so that both sides were compared.
  package var wasReconciled = false

  /// Whether nothing was changed, as was asked for.
  package var isDryRun = false

  package init() {}

  package var exitCode: ExitCode {
    if conflicts + parked + quarantined > 0 { return .differences }
    return wasReconciled ? .diverged : .clean
  }

  package var json: JSONOutput {
    .object([
      ("sent", .integer(sent)), ("received", .integer(received)), ("applied", .integer(applied)),
      ("same", .integer(same)), ("conflicts", .integer(conflicts)), ("parked", .integer(parked)),
      ("quarantined", .integer(quarantined)), ("bytes", .integer(bytes)),
      ("requests", .integer(requests)), ("seconds", .seconds(seconds)),
      ("verified", .bool(verified)), ("reconciled", .bool(wasReconciled)),
      ("dryRun", .bool(isDryRun)),
    ])
  }

  package var text: String {
    var lines = [
      (isDryRun ? "would send " : "sent ") + "\(sent), received \(received)"
        + " (\(applied) applied, \(same) the same)",
      "\(requests) requests, \(ProgressLine.size(bytes)), "
        + "\((seconds * 100).rounded() / 100) seconds",
    ]
    if conflicts > 0 {
      lines.append(
        "\(conflicts) documents have versions beside the one that is seen;"
          + " `nyaru-sync conflicts` shows them")
    }
    if parked > 0 { lines.append("\(parked) records were refused and are kept back") }
    if quarantined > 0 { lines.append("\(quarantined) records did not open and are set aside") }
    if wasReconciled { lines.append("the histories had diverged; both sides were compared") }
    if verified { lines.append("verified: both sides are equal") }
    return lines.joined(separator: "\n")
  }
}
