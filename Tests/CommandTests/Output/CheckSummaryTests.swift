import Testing
import nyaru_sync

@Suite struct CheckSummaryTests {
  @Test func `damage is listed, and decides the status`() {
    var summary = CheckSummary()
    var collection = CheckSummary.Collection(name: "c")
    collection.documents = 2
    collection.bytes = 1500
    summary.collections = [collection]
    #expect(summary.exitCode == .clean)
    #expect(summary.text == "c: 2 documents, 1.5 kB, sound")
    collection.damage = [.init(file: "f", offset: 64, reason: "the checksum does not match")]
    var missing = CheckSummary.Collection(name: "d")
    missing.failure = "no head"
    summary.collections = [collection, missing]
    #expect(summary.exitCode == .damage)
    #expect(
      summary.text == """
        c: 2 documents, 1.5 kB, damaged
          f, byte 64: the checksum does not match
        d: does not open: no head
        check --repair rebuilds what can be rebuilt
        """)
    #expect(
      summary.json.line == #"{"sound":false,"collections":["#
        + #"{"name":"c","documents":2,"deletionMarkers":0,"bytes":1500,"damage":"#
        + #"[{"file":"f","offset":64,"reason":"the checksum does not match","id":null}],"#
        + #""quarantined":[],"failure":null},"#
        + #"{"name":"d","documents":0,"deletionMarkers":0,"bytes":0,"damage":[],"quarantined":[],"#
        + #""failure":"no head"}],"damagedPeers":[]}"#)
  }
}
