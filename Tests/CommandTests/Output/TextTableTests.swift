import Testing
import nyaru_sync

@Suite struct TextTableTests {
  @Test func `columns line up, and lines end with text`() {
    var table = TextTable(["name", "count", "note"], rightAligned: [1])
    table.append(["a", "1000", ""])
    table.append(["élan", "7", "x"])
    #expect(table.text == "name  count  note\na      1000\nélan      7  x")
  }
}
