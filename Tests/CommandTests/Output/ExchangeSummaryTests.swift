import NyaruSyncLog
import Testing
import nyaru_sync

@Suite struct ExchangeSummaryTests {
  @Test func `the fields that scripts rely on are there`() {
    var report = SyncReport()
    report.sent = 1
    report.seconds = 0.25
    #expect(
      ExchangeSummary(report).json.line.hasPrefix(
        #"{"sent":1,"received":0,"applied":0,"same":0,"conflicts":0,"parked":0,"quarantined":0,"#
          + #""bytes":0,"requests":0,"seconds":0.25,"verified":false"#))
  }

  @Test func `what is left to do decides the status`() {
    var report = SyncReport()
    #expect(ExchangeSummary(report).exitCode == .clean)
    report.reconciled = true
    #expect(ExchangeSummary(report).exitCode == .diverged)
    for field in [\SyncReport.conflicts, \.parked, \.quarantined] {
      var changed = report
      changed[keyPath: field] = 1
      #expect(ExchangeSummary(changed).exitCode == .differences)
    }
    report.problems = ["c: no"]
    #expect(ExchangeSummary(report).exitCode == .differences)
    #expect(ExchangeSummary(report).text.contains("c: no"))
  }
}
