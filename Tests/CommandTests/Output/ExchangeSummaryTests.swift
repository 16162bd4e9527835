import Testing
import nyaru_sync

@Suite struct ExchangeSummaryTests {
  @Test func `the fields that scripts rely on are there`() {
    var summary = ExchangeSummary()
    summary.sent = 1
    summary.seconds = 0.25
    #expect(
      summary.json.line.hasPrefix(
        #"{"sent":1,"received":0,"applied":0,"same":0,"conflicts":0,"parked":0,"quarantined":0,"#
          + #""bytes":0,"requests":0,"seconds":0.25,"verified":false"#))
  }

  @Test func `what is left to do decides the status`() {
    var summary = ExchangeSummary()
    #expect(summary.exitCode == .clean)
    summary.wasReconciled = true
    #expect(summary.exitCode == .diverged)
    for field in [
      \ExchangeSummary.conflicts, \ExchangeSummary.parked, \ExchangeSummary.quarantined,
    ] {
      var changed = summary
      changed[keyPath: field] = 1
      #expect(changed.exitCode == .differences)
    }
  }
}
