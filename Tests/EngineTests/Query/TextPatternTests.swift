import NyaruEngine
import Testing

@Suite struct TextPatternTests {
  private func matches(_ filter: (String) -> Filter, _ pattern: String, _ text: String) throws
    -> Bool
  {
    let body = try messagePack(["a": .string(text)])
    return try CompiledFilter(filter(pattern)).matches(body, format: .messagePack)
  }

  @Test(arguments: [
    ("2026-*-post", "2026-my-first-post", true), ("2026-*-post", "2026-post", false),
    ("?", "é", true), ("?", "😀", true), ("?", "", false), ("??", "e\u{301}", true),
    ("[a-c]x", "bx", true), ("[a-c]x", "dx", false), ("[!a-c]x", "dx", true),
    ("[^a-c]x", "bx", false), ("[]]", "]", true), ("[a", "[a", true), ("[]", "[]", true),
    ("[é-ü]", "ö", true), ("[é-ü]", "z", false), ("[a-]", "-", true), ("[\\]]", "]", true),
    ("\\*", "*", true), ("\\*", "x", false), ("*", "", true), ("**a**", "bab", true),
    ("*a*b*c", "aXbXcXc", true), ("*a*b*c", "aXcXb", false), ("%_", "%_", true),
    ("\\", "\\", true), ("*é", "abcé", true), ("[c-a]", "b", true),
  ])
  func `a glob matches the whole text`(pattern: String, text: String, isMatch: Bool) throws {
    #expect(try matches({ .glob("a", $0) }, pattern, text) == isMatch)
  }

  @Test(arguments: [
    ("ana%", "ana", true), ("ana%", "anabel", true), ("ana%", "Ana", false), ("_na", "ana", true),
    ("%a_", "bab", true), ("a\\%", "a%", true), ("a\\%", "ab", false), ("*", "*", true),
    ("", "", true), ("", "a", false), ("%%", "", true), ("_", "é", true), ("_", "", false),
  ])
  func `like matches the whole text`(pattern: String, text: String, isMatch: Bool) throws {
    #expect(try matches({ .like("a", $0) }, pattern, text) == isMatch)
  }

  @Test func `a pattern of many wildcards ends in reasonable time`() throws {
    let pattern = String(repeating: "*a", count: 50) + "b"
    #expect(try !matches({ .glob("a", $0) }, pattern, String(repeating: "a", count: 20_000)))
  }
}
