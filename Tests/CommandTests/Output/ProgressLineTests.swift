import Testing
import nyaru_sync

@Suite struct ProgressLineTests {
  @Test func `a line shows the part, the rate and the time that is left`() {
    let line = ProgressLine(label: "import", documents: 5000, fraction: 0.25, seconds: 2)
    #expect(
      line.text == "import  [#####...............] 25 %  5000 documents  2500/s  0:06 left")
  }

  @Test func `what is not known is left out`() {
    #expect(ProgressLine(label: "export", documents: 0, seconds: 0).text == "export  0 documents")
    let line = ProgressLine(label: "sync", documents: 7, bytes: 1234, seconds: 0.5)
    #expect(line.text == "sync  7 documents  1.2 kB")
  }

  @Test func `the line fits, whatever the numbers are`() {
    for fraction in [-1, 0, 0.5, 1, 2, .nan, .infinity] {
      let line = ProgressLine(
        label: "import", documents: .max, fraction: fraction, bytes: .max, seconds: 1e300)
      #expect(line.text.count <= 79)
    }
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
    (1_500_000_000, "1.5 GB"), (Int.max, "9223372.0 TB"),
  ])
  func `sizes have a unit`(bytes: Int, text: String) {
    #expect(ProgressLine.size(bytes) == text)
  }
}
