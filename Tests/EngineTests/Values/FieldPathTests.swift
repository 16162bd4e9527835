import NyaruEngine
import Testing

@Suite struct FieldPathTests {
  @Test(arguments: [
    ("a", ["a"]), ("a.b.c", ["a", "b", "c"]), (#"a\.b"#, ["a.b"]), (#"a\\.b"#, [#"a\"#, "b"]),
    ("", [""]), ("a..b", ["a", "", "b"]), (".", ["", ""]), (#"a\"#, [#"a\"#]), ("😀.é", ["😀", "é"]),
    (#"\a"#, ["a"]),
  ])
  func `every text is a path`(text: String, components: [String]) {
    let path = FieldPath(text)
    #expect(path.components == components)
    #expect(FieldPath(path.description) == path)
    #expect(FieldPath(components: components) == path)
  }

  @Test func `paths are equal byte for byte`() {
    #expect(FieldPath("é") != FieldPath("e\u{301}"))
  }
}
