import NyaruEngine
import Testing

@Suite struct DocumentMapTests {
  @Test func `of entries with one key the last counts, at the place of the first`() {
    let entries: [DocumentMap.Entry] = [
      ("a", 1), ("b", 2), ("a", 3), ("c", 4), ("a", 5), ("é", 6), ("e\u{301}", 7),
    ]
    let map = DocumentMap(entries)
    #expect(map.entries.map(\.key) == ["a", "b", "c", "é", "e\u{301}"])
    #expect(map.entries.map(\.value) == [5, 2, 4, 6, 7])
    #expect(map["e\u{301}"] == 7)
  }

  @Test func `setting and removing keep the order of the others`() {
    var map: DocumentMap = ["a": 1, "b": 2, "c": 3]
    map["b"] = nil
    map["a"] = 4
    map["d"] = .null
    map["x"] = nil
    #expect(map.entries.map(\.key) == ["a", "c", "d"])
    #expect(map == ["d": .null, "c": 3, "a": 4])
    #expect(map.count == 3)
  }
}
